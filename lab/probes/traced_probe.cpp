// A probe of a traced heap: the programs, each in a version of its own that says what it keeps.

#include "compiler.hpp"
#include "harness/harness.hpp"
#include "workloads/pointers/binary_trees/plot.hpp"
#include "workloads/pointers/binary_trees/traced.hpp"
#include "workloads/pointers/gcbench/plot.hpp"
#include "workloads/pointers/gcbench/traced.hpp"
#include "workloads/pointers/graph/plot.hpp"
#include "workloads/pointers/graph/traced.hpp"
#include "workloads/pointers/live_tree/plot.hpp"
#include "workloads/pointers/live_tree/traced.hpp"
#include "workloads/pointers/queens/plot.hpp"
#include "workloads/pointers/queens/traced.hpp"
#include "workloads/pointers/rings/plot.hpp"
#include "workloads/pointers/rings/traced.hpp"
#include FREEHOLD_STRATEGY_HEADER

namespace {

using lab::strategy;

// Lists are passed in one way, so that every style is the same program.
using queens = lab::queens::played_alike<lab::queens::traced<strategy>>;
using trees = lab::binary_trees::grown<lab::binary_trees::traced<strategy>>;
using rings =
    lab::rings::turned<lab::rings::traced_churn<strategy, lab::rings::few>,
                       lab::rings::traced_churn<strategy, lab::rings::a_tenth>, lab::rings::traced_cursor<strategy>>;
using gcbench = lab::gcbench::measured<lab::gcbench::traced<strategy>>;
using live_tree =
    lab::live_tree::beside<lab::live_tree::traced<strategy, false>, lab::live_tree::traced<strategy, true>>;
using graph = lab::graph::churned<lab::graph::traced<strategy>>;

constexpr lab::workload workloads[] = {
    {"queens", queens::plot, queens::checksum},
    {"binary-trees", trees::plot, trees::checksum},
    {"rings", rings::plot, rings::checksum},
    {"gcbench", gcbench::plot, gcbench::checksum},
    {"live-tree", live_tree::plot, live_tree::checksum},
    {"graph", graph::plot, graph::checksum},
};

}  // namespace

int main(int argument_count, char** arguments) {
    const lab::probe probe{lab::compiler, FREEHOLD_STRATEGY_NAME, strategy::library, workloads, nullptr};
    return lab::run(probe, argument_count, arguments);
}
