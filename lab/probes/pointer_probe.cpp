// A probe of an owning pointer: every workload that it can do.

#include <array>
#include <concepts>

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "pointer_strategy.hpp"
#include "workloads/pointers/containers.hpp"
#include "workloads/pointers/data_size.hpp"
#include "workloads/pointers/instantiation.hpp"
#include "workloads/pointers/operations.hpp"
#include FREEHOLD_STRATEGY_HEADER

using lab::strategy;

constexpr lab::workload instantiation{"instantiation", lab::instantiation::plot<strategy>,
                                      lab::instantiation::checksum<strategy>};

// What can be made and moved can be instantiated.
template <class Strategy>
constexpr auto workloads = std::to_array({instantiation});

// The rest wants values: what can be empty, and copied.
template <class Strategy>
    requires std::semiregular<typename Strategy::template pointer<lab::operations::pointee<Strategy>>>
constexpr auto workloads<Strategy> = std::to_array<lab::workload>({
    {"operations", lab::operations::plot<Strategy>, lab::operations::checksum<Strategy>},
    {"containers", lab::containers::plot<Strategy>, lab::containers::checksum<Strategy>},
    instantiation,
});

int main(int argument_count, char** arguments) {
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, strategy::library, workloads<strategy>,
                           lab::sizes::measure<strategy>};
    return lab::run(probe, argument_count, arguments);
}
