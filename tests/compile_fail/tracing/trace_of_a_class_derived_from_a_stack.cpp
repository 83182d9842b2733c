// expect: give it a member function trace
#include <freehold/tracing/trace.hpp>
#include <stack>
#include <string>

struct history : std::stack<std::string> {
    using std::stack<std::string>::stack;

private:
    std::string title_;
};

const bool leads = freehold::leads_to_traced<history>;
