// A probe of a way to do without counting: programs on raw lists, trees and rings.

#include <vector>

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "workloads/pointers/binary_trees/plot.hpp"
#include "workloads/pointers/binary_trees/uncounted.hpp"
#include "workloads/pointers/gcbench/plot.hpp"
#include "workloads/pointers/gcbench/uncounted.hpp"
#include "workloads/pointers/graph/plot.hpp"
#include "workloads/pointers/graph/uncounted.hpp"
#include "workloads/pointers/live_tree/plot.hpp"
#include "workloads/pointers/live_tree/uncounted.hpp"
#include "workloads/pointers/queens/plot.hpp"
#include "workloads/pointers/queens/uncounted.hpp"
#include "workloads/pointers/rings/plot.hpp"
#include "workloads/pointers/rings/uncounted.hpp"
#include FREEHOLD_STRATEGY_HEADER

// What dies in any order wants memory that is freed so; and a graph, of which nobody knows what is dead, a collector.
template <class Strategy>
std::vector<lab::workload> workloads() {
    using queens = lab::queens::played_alike<lab::queens::uncounted<Strategy>>;
    using trees = lab::binary_trees::grown<lab::binary_trees::uncounted<Strategy>>;
    std::vector<lab::workload> found{
        {"queens", queens::plot, queens::checksum},
        {"binary-trees", trees::plot, trees::checksum},
    };
    if constexpr (Strategy::in_any_order) {
        using rings = lab::rings::turned<lab::rings::uncounted_churn<Strategy, lab::rings::few>,
                                         lab::rings::uncounted_churn<Strategy, lab::rings::a_tenth>,
                                         lab::rings::uncounted_cursor<Strategy>>;
        using gcbench = lab::gcbench::measured<lab::gcbench::uncounted<Strategy>>;
        using live_tree = lab::live_tree::beside<lab::live_tree::uncounted<Strategy, false>,
                                                 lab::live_tree::uncounted<Strategy, true>>;
        found.push_back({"rings", rings::plot, rings::checksum});
        found.push_back({"gcbench", gcbench::plot, gcbench::checksum});
        found.push_back({"live-tree", live_tree::plot, live_tree::checksum});
    }
    if constexpr (requires { Strategy::collections(); }) {
        using graph = lab::graph::churned<lab::graph::uncounted<Strategy>>;
        found.push_back({"graph", graph::plot, graph::checksum});
    }
    return found;
}

int main(int argument_count, char** arguments) {
    const auto found = workloads<lab::strategy>();
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, lab::strategy::library, found, nullptr};
    return lab::run(probe, argument_count, arguments);
}
