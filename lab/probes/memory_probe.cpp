// A probe of a strategy of memory: every workload that its arenas can do.

#include <vector>

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "memory_strategy.hpp"
#include "workloads/memory/batch.hpp"
#include "workloads/memory/churn.hpp"
#include "workloads/memory/heap_or_stack.hpp"
#include "workloads/memory/larson.hpp"
#include "workloads/memory/list.hpp"
#include "workloads/memory/mixes.hpp"
#include "workloads/memory/pair.hpp"
#include "workloads/memory/producer_consumer.hpp"
#include "workloads/memory/reuse.hpp"
#include FREEHOLD_STRATEGY_HEADER

template <class Strategy>
std::vector<lab::workload> workloads() {
    return {
        {"list", lab::list::plot<Strategy>, lab::list::checksum<Strategy>},
        {"reuse", lab::reuse::plot<Strategy>, lab::reuse::fill_vector<Strategy>},
        {"pair", lab::pair::plot<Strategy>, lab::pair::checksum<Strategy>},
        {"batch", lab::batch::plot<Strategy>, lab::batch::checksum<Strategy>},
        {"churn", lab::churn::plot<Strategy>, lab::churn::checksum<Strategy>},
        {"mixes", lab::mixes::plot<Strategy>, lab::mixes::checksum<Strategy>},
        {"producer-consumer", lab::producer_consumer::plot<Strategy>, lab::producer_consumer::checksum<Strategy>},
        {"larson", lab::larson::plot<Strategy>, lab::larson::checksum<Strategy>},
        {"heap-or-stack", lab::heap_or_stack::plot, lab::heap_or_stack::checksum},
    };
}

int main(int argument_count, char** arguments) {
    using lab::strategy;
    const auto found = workloads<strategy>();
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, strategy::library, found, nullptr};
    return lab::run(probe, argument_count, arguments);
}
