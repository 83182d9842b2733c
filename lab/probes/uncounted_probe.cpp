// A probe of a way to do without counting: programs on raw lists, trees and rings.

#include <vector>

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "workloads/pointers/binary_trees/plot.hpp"
#include "workloads/pointers/binary_trees/uncounted.hpp"
#include "workloads/pointers/queens/plot.hpp"
#include "workloads/pointers/queens/uncounted.hpp"
#include "workloads/pointers/rings/plot.hpp"
#include "workloads/pointers/rings/uncounted.hpp"
#include FREEHOLD_STRATEGY_HEADER

int main(int argument_count, char** arguments) {
    using lab::strategy;
    using queens = lab::queens::played_alike<lab::queens::uncounted<strategy>>;
    using trees = lab::binary_trees::grown<lab::binary_trees::uncounted<strategy>>;
    std::vector<lab::workload> workloads{
        {"queens", queens::plot, queens::checksum},
        {"binary-trees", trees::plot, trees::checksum},
    };
    if constexpr (strategy::in_any_order) {
        using rings = lab::rings::turned<lab::rings::uncounted_churn<strategy, lab::rings::few>,
                                         lab::rings::uncounted_churn<strategy, lab::rings::a_tenth>,
                                         lab::rings::uncounted_cursor<strategy>>;
        workloads.push_back({"rings", rings::plot, rings::checksum});
    }
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, strategy::library, workloads, nullptr};
    return lab::run(probe, argument_count, arguments);
}
