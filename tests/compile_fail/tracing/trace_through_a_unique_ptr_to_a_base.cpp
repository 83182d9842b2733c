// expect: a unique_ptr to a class that others may derive from needs a member function trace
#include <freehold/tracing/trace.hpp>
#include <memory>

struct base {
    virtual ~base() = default;
};

const bool leads = freehold::leads_to_traced<std::unique_ptr<base>>;
