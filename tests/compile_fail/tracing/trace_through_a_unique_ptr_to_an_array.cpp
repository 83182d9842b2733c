// expect: give it a member function trace
#include <freehold/tracing/trace.hpp>
#include <memory>
#include <string>

const bool leads = freehold::leads_to_traced<std::unique_ptr<std::string[]>>;
