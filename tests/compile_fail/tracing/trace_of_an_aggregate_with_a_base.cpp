// expect: an aggregate with a base needs a member function trace
#include <freehold/tracing/trace.hpp>
#include <string>

struct base {
    int number;
};
struct derived : base {
    std::string text;
};

const bool leads = freehold::leads_to_traced<derived>;
