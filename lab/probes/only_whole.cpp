// The workloads of a probe that only a whole run measures.

#include "only_whole.hpp"

#include FREEHOLD_ONLY_WHOLE_HEADER
#include FREEHOLD_STRATEGY_HEADER

std::vector<lab::workload> lab::only_whole() { return only_whole_workloads<strategy>(); }
