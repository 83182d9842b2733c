// A probe in OCaml: the programs beside this file, which the strategy registers and the harness calls.

#include <caml/callback.h>
#include <caml/mlvalues.h>

#include "harness/harness.hpp"
#include "workloads/pointers/binary_trees/plot.hpp"
#include "workloads/pointers/gcbench/plot.hpp"
#include "workloads/pointers/graph/plot.hpp"
#include "workloads/pointers/live_tree/plot.hpp"
#include "workloads/pointers/queens/plot.hpp"
#include "workloads/pointers/rings/plot.hpp"

namespace {

constexpr char queens_name[] = "queens";
constexpr char trees_name[] = "binary-trees";
constexpr char churn_name[] = "ring churn";
constexpr char ageing_name[] = "ring ageing";
constexpr char living_name[] = "living ring";
constexpr char cursor_name[] = "ring cursor";
constexpr char gcbench_name[] = "gcbench";
constexpr char living_tree_name[] = "live tree";
constexpr char allocating_name[] = "live-tree allocate";
constexpr char storing_name[] = "live-tree store";
constexpr char graph_name[] = "graph";
constexpr char collections_name[] = "collections";

// Returns what is returned by the function that is registered under that name.
template <const char* Name>
long call(int argument) {
    static const value* const function = caml_named_value(Name);
    return Long_val(caml_callback(*function, Val_int(argument)));
}

lab::run_count counted;

// What is registered under that name; run(FillingX) fills the nursery.
template <const char* Name, int FillingX>
struct registered {
    static std::uint64_t run(int x) { return static_cast<std::uint64_t>(call<Name>(x)); }

    // The runtime counts its collections and tells no pauses.
    static lab::collector_work collections() { return counted.take(call<collections_name>(0)); }

    // Fills the nursery once, so that nothing that is timed waits for new pages.
    static void prepare(int) { [[maybe_unused]] static const std::uint64_t found = run(FillingX); }
};

// OCaml passes lists in one way, so that every style is the same program.
using queens = lab::queens::played_alike<registered<queens_name, 8>>;
using trees = lab::binary_trees::grown<registered<trees_name, 12>>;

struct cursor : registered<cursor_name, 0> {
    static void prepare(int steps) { call<living_name>(lab::rings::nodes_around(steps)); }
    static void finish() { call<living_name>(1); }
};

using rings = lab::rings::turned<registered<churn_name, 100'000>, registered<ageing_name, 100'000>, cursor>;

template <const char* Name>
struct beside_a_tree : registered<Name, 0> {
    static void prepare(int nodes) { call<living_tree_name>(nodes); }
    static void finish() { call<living_tree_name>(0); }
};

using gcbench = lab::gcbench::measured<registered<gcbench_name, 8>>;
using live_tree = lab::live_tree::beside<beside_a_tree<allocating_name>, beside_a_tree<storing_name>>;
using graph = lab::graph::churned<registered<graph_name, 1000>>;

constexpr lab::workload workloads[] = {
    {queens_name, queens::plot, queens::checksum},
    {trees_name, trees::plot, trees::checksum},
    {"rings", rings::plot, rings::checksum},
    {gcbench_name, gcbench::plot, gcbench::checksum},
    {"live-tree", live_tree::plot, live_tree::checksum},
    {graph_name, graph::plot, graph::checksum},
};

}  // namespace

int main(int argument_count, char** arguments) {
    caml_startup(arguments);
    const lab::probe probe{"ocamlopt " FREEHOLD_OCAML_VERSION, FREEHOLD_STRATEGY_NAME, "OCaml " FREEHOLD_OCAML_VERSION,
                           workloads, nullptr};
    return lab::run(probe, argument_count, arguments);
}
