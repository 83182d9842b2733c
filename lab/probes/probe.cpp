// A probe: one strategy, every workload that its pointer can do.

#include <array>
#include <concepts>

#include "harness/harness.hpp"
#include "strategy.hpp"
#include "workloads/containers.hpp"
#include "workloads/data_size.hpp"
#include "workloads/instantiation.hpp"
#include "workloads/operations.hpp"
#include FREEHOLD_STRATEGY_HEADER

#define LAB_TEXT_OF(x) #x
#define LAB_TEXT_OF_VALUE(x) LAB_TEXT_OF(x)

#if defined(__clang__)
constexpr auto compiler = "clang++-" LAB_TEXT_OF_VALUE(__clang_major__);
#else
constexpr auto compiler = "g++-" LAB_TEXT_OF_VALUE(__GNUC__);
#endif

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
    const lab::probe probe{compiler, FREEHOLD_STRATEGY_NAME, strategy::library, workloads<strategy>,
                           lab::sizes::measure<strategy>};
    return lab::run(probe, argument_count, arguments);
}
