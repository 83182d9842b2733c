// expect: (use of deleted function|call to deleted function)
#include <freehold/traced/traced_local.hpp>

auto* const made = new freehold::traced_local<int>;
