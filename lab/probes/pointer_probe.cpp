// A probe of an owning pointer: every workload that it can do. Its programs are in pointer_only_whole.cpp.

#include <concepts>
#include <vector>

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "only_whole.hpp"
#include "pointer_strategy.hpp"
#include "workloads/pointers/containers.hpp"
#include "workloads/pointers/data_size.hpp"
#include "workloads/pointers/instantiation.hpp"
#include "workloads/pointers/operations.hpp"
#include FREEHOLD_STRATEGY_HEADER

using lab::strategy;

// What can be made and moved can be instantiated. The rest needs values: what can be empty, and copied.
template <class Strategy>
std::vector<lab::workload> workloads() {
    using pointer = typename Strategy::template pointer<lab::operations::pointee<Strategy>>;
    std::vector<lab::workload> found = lab::only_whole();
    found.push_back({"instantiation", lab::instantiation::plot<Strategy>, lab::instantiation::checksum<Strategy>});
    if constexpr (std::semiregular<pointer>) {
        found.push_back({"operations", lab::operations::plot<Strategy>, lab::operations::checksum<Strategy>});
        found.push_back({"containers", lab::containers::plot<Strategy>, lab::containers::checksum<Strategy>});
    }
    return found;
}

int main(int argument_count, char** arguments) {
    const auto found = workloads<strategy>();
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, strategy::library, found,
                           lab::sizes::measure<strategy>};
    return lab::run(probe, argument_count, arguments);
}
