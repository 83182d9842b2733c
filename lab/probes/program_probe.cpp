// A probe of programs alone: of a traced heap, or of a way to do without counting. FREEHOLD_WORKLOADS_HEADER has
// them in the form that the strategy needs.

#include "compiler.hpp"
#include "harness/harness.hpp"
#include FREEHOLD_WORKLOADS_HEADER
#include FREEHOLD_STRATEGY_HEADER

int main(int argument_count, char** arguments) {
    const auto found = lab::workloads<lab::strategy>();
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, lab::strategy::library, found, nullptr};
    return lab::run(probe, argument_count, arguments);
}
