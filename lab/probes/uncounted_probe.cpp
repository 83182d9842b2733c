// A probe of a way to do without counting: queens on raw lists, or on those of a collector.

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "workloads/pointers/queens/plot.hpp"
#include "workloads/pointers/queens/uncounted.hpp"
#include FREEHOLD_STRATEGY_HEADER

// The program on raw lists, unless the strategy has its own.
template <class Strategy>
struct program_of {
    using type = lab::queens::uncounted<Strategy>;
};

template <class Strategy>
    requires requires { typename Strategy::program; }
struct program_of<Strategy> {
    using type = typename Strategy::program;
};

int main(int argument_count, char** arguments) {
    using lab::strategy;
    using queens = lab::queens::played_alike<program_of<strategy>::type>;
    constexpr lab::workload workloads[] = {{"queens", queens::plot, queens::checksum}};
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, strategy::library, workloads, nullptr};
    return lab::run(probe, argument_count, arguments);
}
