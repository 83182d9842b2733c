// The programs of a probe of an owning pointer.

#include <concepts>
#include <vector>

#include "only_whole.hpp"
#include "pointer_strategy.hpp"
#include "workloads/pointers/binary_trees/owned.hpp"
#include "workloads/pointers/gcbench/owned.hpp"
#include "workloads/pointers/graph/owned.hpp"
#include "workloads/pointers/live_tree/owned.hpp"
#include "workloads/pointers/queens/article.hpp"
#include "workloads/pointers/queens/borrowed.hpp"
#include "workloads/pointers/queens/modern.hpp"
#include "workloads/pointers/queens/plot.hpp"
#include "workloads/pointers/rings/owned.hpp"
#include FREEHOLD_STRATEGY_HEADER

namespace {

template <class Strategy>
using queens = lab::queens::played<lab::queens::by_value<Strategy>, lab::queens::by_const_reference<Strategy>,
                                   lab::queens::modern<Strategy>, lab::queens::borrowed<Strategy>>;

template <class Strategy>
using trees = lab::binary_trees::grown<lab::binary_trees::owned<Strategy>>;

template <class Strategy>
using rings = lab::rings::turned<lab::rings::churn<Strategy, lab::rings::few>,
                                 lab::rings::churn<Strategy, lab::rings::a_tenth>, lab::rings::cursor<Strategy>>;

template <class Strategy>
using gcbench = lab::gcbench::measured<lab::gcbench::owned<Strategy>>;

template <class Strategy>
using live_tree = lab::live_tree::beside<lab::live_tree::owned<Strategy, false>, lab::live_tree::owned<Strategy, true>>;

template <class Strategy>
using graph = lab::graph::churned<lab::graph::owned<Strategy>>;

// What owns can own trees. Lists that share their tails want values, what can be empty and copied, of owners that know
// which of them is the last. Rings want that cycles are collected, or left open, and so do the programs that are for
// collectors, for few are enough; a graph wants that they are collected.
template <class Strategy>
std::vector<lab::workload> programs() {
    std::vector<lab::workload> found;
    if constexpr (Strategy::shares) {
        found.push_back({"binary-trees", trees<Strategy>::plot, trees<Strategy>::checksum});
    }
    if constexpr (std::semiregular<lab::queens::list<Strategy>>) {
        if constexpr (Strategy::shares) {
            found.push_back({"queens", queens<Strategy>::plot, queens<Strategy>::checksum});
        }
        if constexpr (lab::observes<Strategy> || lab::collects<Strategy>) {
            found.push_back({"rings", rings<Strategy>::plot, rings<Strategy>::checksum});
            found.push_back({"gcbench", gcbench<Strategy>::plot, gcbench<Strategy>::checksum});
            found.push_back({"live-tree", live_tree<Strategy>::plot, live_tree<Strategy>::checksum});
        }
        if constexpr (lab::collects<Strategy>) {
            found.push_back({"graph", graph<Strategy>::plot, graph<Strategy>::checksum});
        }
    }
    return found;
}

}  // namespace

std::vector<lab::workload> lab::only_whole() { return programs<lab::strategy>(); }
