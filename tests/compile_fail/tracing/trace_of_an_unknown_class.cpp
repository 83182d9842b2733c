// expect: give it a member function trace
#include <freehold/tracing/trace.hpp>
#include <functional>

const bool leads = freehold::leads_to_traced<std::function<void()>>;
