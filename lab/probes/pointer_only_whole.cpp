// The programs of a probe of an owning pointer.

#include "only_whole.hpp"
#include "programs/owned.hpp"
#include FREEHOLD_STRATEGY_HEADER

std::vector<lab::workload> lab::only_whole() { return programs<strategy>(); }
