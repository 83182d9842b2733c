// Workloads of a probe of a strategy of memory that only a whole run measures.

#include <vector>

#include "memory_strategy.hpp"
#include "only_whole.hpp"
#include "workloads/memory/heap_or_stack.hpp"
#include "workloads/memory/larson.hpp"
#include "workloads/memory/mixes.hpp"
#include "workloads/memory/reuse.hpp"
#include FREEHOLD_STRATEGY_HEADER

std::vector<lab::workload> lab::only_whole() {
    return {
        {"reuse", reuse::plot<strategy>, reuse::fill_vector<strategy>},
        {"mixes", mixes::plot<strategy>, mixes::checksum<strategy>},
        {"larson", larson::plot<strategy>, larson::checksum<strategy>},
        {"heap-or-stack", heap_or_stack::plot, heap_or_stack::checksum},
    };
}
