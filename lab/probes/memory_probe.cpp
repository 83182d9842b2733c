// A probe of a strategy of memory: every workload that its arenas can do. More of them are in memory_only_whole.cpp.

#include <vector>

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "memory_strategy.hpp"
#include "only_whole.hpp"
#include "workloads/memory/batch.hpp"
#include "workloads/memory/churn.hpp"
#include "workloads/memory/list.hpp"
#include "workloads/memory/pair.hpp"
#include "workloads/memory/producer_consumer.hpp"
#include FREEHOLD_STRATEGY_HEADER

template <class Strategy>
std::vector<lab::workload> workloads() {
    std::vector<lab::workload> found = lab::only_whole();
    found.push_back({"list", lab::list::plot<Strategy>, lab::list::checksum<Strategy>});
    found.push_back({"pair", lab::pair::plot<Strategy>, lab::pair::checksum<Strategy>});
    found.push_back({"batch", lab::batch::plot<Strategy>, lab::batch::checksum<Strategy>});
    found.push_back({"churn", lab::churn::plot<Strategy>, lab::churn::checksum<Strategy>});
    found.push_back(
        {"producer-consumer", lab::producer_consumer::plot<Strategy>, lab::producer_consumer::checksum<Strategy>});
    return found;
}

int main(int argument_count, char** arguments) {
    using lab::strategy;
    const auto found = workloads<strategy>();
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, strategy::library, found, nullptr};
    return lab::run(probe, argument_count, arguments);
}
