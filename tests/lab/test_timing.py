"""A launch of a probe, and what becomes of one that fails. Real probes all do the same work."""

import os
import re
import subprocess

import pytest

from fakes import program
from freehold_lab import folders
from freehold_lab.errors import LabError
from freehold_lab.measure import probe
from freehold_lab.model import Cell, Identity, Point, State
from freehold_lab.workloads import MEMORY, QUEENS, SEVERAL_THREADS, TIMED, reference
from synthetic import STYLES

CELL = Cell(workload="operations", compiler="g++-12", strategy="raw", state=State.ALONE)
ANSWER = '{"checksum": "98007", "points": [{"series": "set", "x": 2, "nanoseconds": 12.5}]}'

LIBRARIES = {
    "boost_": "Boost ",
    "std_": "libstdc++ ",
    "libcxx_": "libc++ ",
    "raw": "none",
    "uncounted_malloc": "libstdc++ ",
    "uncounted_stack": "Freehold ",
    "uncounted_boehm": "Boehm GC ",
    "traced_ptr": "Freehold ",
    "ocaml": "OCaml ",
    "rust_": "Rust ",
    "pool_resource": "Freehold ",
}


def launch(executable, **changes):
    return probe.launch(executable, CELL.model_copy(update=changes), scale=1000, round_number=3)


def test_a_launch_holds_the_points_that_the_probe_prints(tmp_path):
    launched = launch(program(tmp_path, "probe_raw", f"echo '{ANSWER}'"))
    assert (launched.round, launched.cell, launched.checksum) == (3, CELL, "98007")
    assert launched.points == [Point(series="set", x=2, nanoseconds=12.5)]


@pytest.mark.parametrize(
    ("state", "arguments"),
    [
        (State.ALONE, "time operations --scale 1000"),
        (State.THREADED, "time operations --threaded --scale 1000"),
    ],
)
def test_the_probe_is_told_what_to_measure(tmp_path, state, arguments):
    launch(program(tmp_path, "probe_raw", f"echo \"$@\" > {tmp_path}/asked; echo '{ANSWER}'"), state=state)
    assert (tmp_path / "asked").read_text() == f"{arguments}\n"


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("echo first >&2; echo last >&2; exit 3", "exit code 3: last"),
        ("kill -SEGV $$", "exit code -11: no output"),
        ("echo nonsense", "unexpected output"),
        ("echo '{}'", "unexpected output"),
        ("sleep 60", "timed out after 0.2 seconds"),
    ],
)
def test_a_probe_that_fails_is_named_in_one_line(tmp_path, monkeypatch, script, complaint):
    monkeypatch.setattr(probe, "PATIENCE", 0.2)
    executable = program(tmp_path, "probe_raw", script)
    with pytest.raises(LabError) as raised:
        launch(executable)
    (line,) = str(raised.value).splitlines()
    assert line.startswith(f"{tmp_path.name}/probe_raw time operations") and complaint in line


def test_a_probe_that_is_not_there_is_named(tmp_path):
    with pytest.raises(LabError, match="probe_raw .*No such file"):
        launch(tmp_path / "probe_raw")


def test_every_probe_says_what_it_was_built_with(probes):
    for strategy in probes.strategies:
        identity = probe.identify(probes.executable(strategy))
        assert identity == Identity(compiler=identity.compiler, strategy=strategy, library=identity.library)
        assert identity.compiler == probes.compiler or strategy.startswith(("ocaml", "rust_"))
        for prefix, library in LIBRARIES.items():
            assert not strategy.startswith(prefix) or identity.library.startswith(library)


def test_an_allocator_says_which_file_malloc_is_in(probes):
    assert re.fullmatch(r"mimalloc \d+, libmimalloc\.so\.\d", probe.identify(probes.executable("mimalloc")).library)


def test_percentiles_grow(probes):
    launched = launch(probes.executable("new_delete"), workload="latency", state=State.THREADED)
    for when in ("steady", "growing"):
        told = {each.series: each.nanoseconds for each in launched.points if each.series.startswith(when)}
        assert list(told) == [f"{when}, {each}" for each in ("p50", "p99", "p99.9", "max")]
        times = list(told.values())
        assert times == sorted(times) and times[0] < times[-1]


@pytest.mark.parametrize(("workload", "operations"), [("published", "store"), ("map", "replacement")])
def test_operations_on_a_pointer_that_is_replaced_are_timed_beside_the_clock_alone(probes, workload, operations):
    launched = launch(probes.executable("atomic_shared_ptr"), workload=workload, state=State.THREADED)
    told = {(each.series, each.x): each.nanoseconds for each in launched.points}
    for threads in {each.x for each in launched.points if each.x > 1}:
        for timed in (operations, "clock alone"):
            taken = [told[f"{timed}, {each}", threads] for each in ("p50", "p99", "p99.9", "p99.99")]
            assert taken[0] > 0 and taken == sorted(taken)


@pytest.mark.parametrize(
    ("workload", "programs"), [("subtrees", ["replace"]), ("document-tree", ["parents owned", "parents observed"])]
)
@pytest.mark.parametrize("strategy", ["cyclic_ptr", "traced_ptr", "ocaml", "uncounted_boehm"])
def test_operations_on_a_tree_are_timed_alone_and_in_hundreds(probes, strategy, workload, programs):
    launched = launch(probes.executable(strategy), workload=workload)
    told = {each.series: each.nanoseconds for each in launched.points}
    for name in programs:
        ones, hundreds = (
            [told.pop(f"{name}, {group}, {figure}") for figure in ("p50", "p99", "p99.9", "max")]
            for group in ("one", "hundred")
        )
        assert ones[0] > 0 and ones == sorted(ones) and hundreds == sorted(hundreds)
        assert ones[0] < hundreds[0] and ones[-1] <= hundreds[-1]  # one is no longer than the hundred that it is in
        assert hundreds[-1] <= told.pop(name)
    assert not told


@pytest.mark.parametrize("workload", ["actors", "shared-graph"])
@pytest.mark.parametrize("strategy", ["concurrent_cyclic_ptr", "shared_traced_heap"])
def test_stopping_the_threads_of_a_shared_heap_is_timed(probes, strategy, workload):
    launched = launch(probes.executable(strategy), workload=workload, state=State.THREADED)
    stops = [each.nanoseconds for each in launched.points if ", stop, " in each.series]
    assert len(stops) == 4 and stops[0] > 0 and stops == sorted(stops)


HISTOGRAM = """
#include "harness/histogram.hpp"

int main() {
    lab::histogram numbers;
    for (std::uint64_t number = 1; number <= 100'000; ++number) {
        numbers.add(number);
    }
    const auto near = [](std::uint64_t found, double expected) {
        const double part = static_cast<double>(found) / expected;
        return 31 / 32.0 <= part && part <= 1;
    };
    const bool right = near(numbers.quantile(0.5), 50'000) && near(numbers.quantile(0.999), 99'900) &&
                       near(numbers.quantile(1), 100'000) && numbers.quantile(0) == 1 &&
                       numbers.quantile(0.0002) == 20;
    lab::histogram both;
    both.add(numbers);
    both.add(numbers);
    if (!near(both.quantile(0.25), 25'000) || both.quantile(1) != numbers.quantile(1)) {
        return 1;
    }
    numbers.clear();
    if (numbers.quantile(0.5) != 0) {
        return 1;
    }
    numbers.add(~std::uint64_t{0});
    return right && near(numbers.quantile(0.5), 18446744073709551616.0) ? 0 : 1;
}
"""


def test_a_histogram_tells_percentiles_to_a_thirty_second_part(compile_file):
    subprocess.run([compile_file(HISTOGRAM, "-std=c++20", f"-I{folders.PROBES}")], check=True)


IN_THREADS = """
#include "workloads/program.hpp"

struct beside {
    static constexpr bool collects_in_threads = true;
    static void clear() {}
};

struct alone {};

template <class Strategy>
struct doing_nothing : lab::collecting<Strategy> {
    static int run(int x) { return x; }
};

inline constexpr lab::extent extents[] = {{1, 1}};

template <class Strategy>
constexpr lab::series measured = lab::program<extents, doing_nothing<Strategy>>::as("nothing");

static_assert(measured<beside>.measured_by == lab::clock::process && measured<beside>.clear != nullptr);
static_assert(measured<alone>.measured_by == lab::clock::processor && measured<alone>.clear == nullptr);
"""


def test_a_collector_in_threads_of_its_own_takes_time_of_the_program(compile_file):
    compile_file(IN_THREADS, "-std=c++20", f"-I{folders.PROBES}", "-c")


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("workload", TIMED)
def test_all_strategies_do_the_same_work(probes, workload, state):
    if state is State.ALONE and workload in SEVERAL_THREADS:
        pytest.skip("a workload of several threads")
    launches = {
        strategy: launch(probes.executable(strategy), workload=workload, state=state)
        for strategy in probes.taking_part(workload)
    }
    if not launches:
        pytest.skip(f"{workload} is for strategies that are not built with {probes.compiler} here")
    expected = launches[reference(workload, probes.strategies)]
    for launched in launches.values():
        assert launched.checksum == expected.checksum
        assert points(launched) <= points(expected) or workload in MEMORY
        assert all(point.nanoseconds > 0 for point in launched.points)


def points(launched):
    """Those of the work: only some collectors have threads to stop."""
    return {(point.series, point.x) for point in launched.points if ", stop, " not in point.series}


def test_what_is_not_reused_has_no_list_in_memory_that_is_kept(probes):
    launched = launch(probes.executable("monotonic_resource"), workload="list")
    assert {point.series for point in launched.points} == {"fresh"}


def test_containers_are_winked_out_where_an_arena_takes_all_back(probes):
    names = {
        strategy: {series for series, _ in points(launch(probes.executable(strategy), workload="mixes"))}
        for strategy in ("new_delete", "pool_resource")
    }
    assert names["pool_resource"] == names["new_delete"] | {f"{each}, winked out" for each in names["new_delete"]}


@pytest.mark.parametrize("strategy", ["intrusive_ptr_plain", "traced_ptr", "rust_rc", "ocaml", "uncounted_stack"])
def test_queens_are_placed_on_the_boards_that_a_scale_has_time_for(probes, strategy):
    executable = probes.executable(strategy)
    for scale, sizes, solutions in ((1000, [6], 4), (300_000, [6, 8], 92), (1_000_000, [6, 8, 9], 352)):
        cell = CELL.model_copy(update={"workload": QUEENS})
        launched = probe.launch(executable, cell, scale, round_number=1)
        assert [(point.series, point.x) for point in launched.points] == [(s, x) for s in STYLES for x in sizes]
        assert int(launched.checksum) == sum(solutions << 12 * digit for digit in range(len(STYLES)))


@pytest.mark.parametrize(
    "strategy", ["cyclic_ptr", "traced_ptr", "std_unique_ptr", "rust_rc", "ocaml", "uncounted_stack_by_cell"]
)
def test_trees_grow_as_deep_as_a_scale_has_time_for(probes, strategy):
    executable = probes.executable(strategy)
    for scale, depths in ((1000, [8]), (300_000, [8, 12]), (1_000_000, [8, 12, 16])):
        cell = CELL.model_copy(update={"workload": "binary-trees"})
        launched = probe.launch(executable, cell, scale, round_number=1)
        trees = [(series, depth) for series in styles_of_trees(strategy) for depth in depths]
        assert [(point.series, point.x) for point in launched.points] == trees
        assert int(launched.checksum) == nodes_of_trees(depths[-1])


def styles_of_trees(strategy):
    """What has one owner cannot be copied."""
    return ["trees"] if strategy == "std_unique_ptr" or strategy == "managed_ptr" else ["trees", "trees, copied"]


def nodes_of_trees(deepest):
    """Those of the long-lived tree and of all short-lived ones."""
    short_lived = sum((1 << deepest - depth + 4) * ((2 << depth) - 1) for depth in range(4, deepest + 1, 2))
    return short_lived + (2 << deepest) - 1


COLLECTORS = ["cyclic_ptr", "traced_ptr", "ocaml", "uncounted_boehm"]


@pytest.mark.parametrize("strategy", [*COLLECTORS, "std_shared_ptr", "uncounted_malloc"])
def test_gcbench_makes_trees_in_two_ways_beside_a_tree_and_an_array(probes, strategy):
    launched = launch(probes.executable(strategy), workload="gcbench")
    (depth,) = (point.x for point in launched.points)
    assert int(launched.checksum) == sum_of_gcbench(depth)


def sum_of_gcbench(depth):
    """The levels of all short-lived trees, the nodes of the long-lived one, and the numbers in the array."""
    pairs = {low: 2 * ((8 << depth) - 1) // ((2 << low) - 1) for low in range(4, depth + 1, 2)}
    levels = depth + 3 + sum(2 * (low + 1) * made for low, made in pairs.items())
    return levels + (2 << depth) - 1 + (4 << depth) - 1


@pytest.mark.parametrize("strategy", COLLECTORS)
def test_whatever_an_edge_of_the_graph_leads_to_is_alive(probes, strategy):
    launched = launch(probes.executable(strategy), workload="graph")
    (nodes,) = (point.x for point in launched.points)
    assert int(launched.checksum) == rewired_graph(nodes)


def rewired_graph(nodes):
    """The sum of the numbers of the nodes that edges led to before they were rewired."""
    state = 1

    def below(limit):
        nonlocal state
        state = state * 48271 % (2**31 - 1)
        return state % limit

    def four_edges():
        return [places[below(nodes)] for _ in range(4)]

    places = [{"number": number} for number in range(nodes)]
    for node in places:
        node["edges"] = four_edges()
    made, total = nodes, 0
    for rewired in range(1, 32 * nodes + 1):
        edges, edge = places[below(nodes)]["edges"], below(4)
        total += edges[edge]["number"]
        edges[edge] = places[below(nodes)]
        if rewired % 32 == 0:
            leaving = [below(nodes), below(nodes)]
            one, other = (places[place] for place in leaving)
            one["edges"], other["edges"] = [other] * 4, [one] * 4
            for place in leaving:
                places[place] = {"number": made}
                places[place]["edges"] = four_edges()
                made += 1
    return total


def test_points_are_set_sizes_or_the_scale(probes):
    executable = probes.executable("raw")
    assert [point.x for point in launch(executable).points] == [2, 4, 8, 12, 16, 24, 32]
    assert [(point.series, point.x) for point in launch(executable, workload="containers").points] == [
        (f"{container} {action}", 1000) for container in ("vector", "list") for action in ("fill", "sort")
    ]


@pytest.mark.parametrize("strategy", ["raw", "managed_ptr", "rust_arc"])
def test_threads_work_at_once_only_where_there_may_be_threads(probes, strategy):
    executable = probes.executable(strategy)
    alone, threaded = (
        [(point.series, point.x) for point in launch(executable, workload="instantiation", state=state).points]
        for state in State
    )
    at_once = [("make and release", threads) for threads in thread_counts(len(os.sched_getaffinity(0))) if threads > 1]
    assert alone == [("make and release", 1), ("make, move and release", 1)]
    assert threaded == [("make and release", 1), *at_once, ("make, move and release", 1)]


def thread_counts(processors):
    return [threads for threads in (1, 2, 4, 8, 16, 32, 64, 128) if threads <= max(2, processors)]


@pytest.mark.parametrize(("workload", "fewest"), [("replaced", 1), ("larson", 1), ("producer-consumer", 2)])
def test_there_are_no_more_threads_than_processors_but_always_two(probes, workload, fewest):
    strategy = "atomic_shared_ptr" if workload == "replaced" else "new_delete"
    usable = os.sched_getaffinity(0)
    for processors in {1, len(usable)}:
        try:
            os.sched_setaffinity(0, list(usable)[:processors])
            launched = launch(probes.executable(strategy), workload=workload, state=State.THREADED)
        finally:
            os.sched_setaffinity(0, usable)
        expected = [threads for threads in thread_counts(processors) if threads >= fewest]
        assert list(dict.fromkeys(point.x for point in launched.points)) == expected


@pytest.mark.parametrize("workload", ["list", "churn"])
def test_memory_is_taken_in_several_sizes_up_to_the_scale(probes, workload):
    executable = probes.executable("pool_resource")
    sizes = {"list": [100, 1000, 10_000, 100_000], "churn": [500, 5000, 50_000]}[workload]
    for scale in (1000, 100_000):
        launched = probe.launch(executable, CELL.model_copy(update={"workload": workload}), scale, round_number=1)
        assert sorted({point.x for point in launched.points}) == [size for size in sizes if size <= scale]


def test_a_sole_owner_does_no_work_that_copies(probes):
    with pytest.raises(LabError, match='there is no workload "operations"'):
        launch(probes.executable("managed_ptr"))


@pytest.mark.parametrize("strategy", ["raw", "rust_arc"])
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "usage: "),
        (["fly"], "usage: "),
        (["identify", "twice"], "usage: "),
        (["time"], "usage: "),
        (["time", "nothing"], 'there is no workload "nothing"'),
        (["time", "operations", "--fast"], 'unknown option "--fast"'),
        (["time", "operations", "--scale"], "usage: "),
        (["time", "operations", "--scale", "0"], 'needs a positive number, not "0"'),
        (["time", "operations", "--scale", "1e3"], 'needs a positive number, not "1e3"'),
        (["time", "operations", "--scale", "99999999999"], "needs a positive number"),
        (["count", "operations"], "only under valgrind"),
    ],
)
def test_a_probe_answers_bad_arguments_in_one_line(probes, strategy, arguments, complaint):
    done = subprocess.run([probes.executable(strategy), *arguments], capture_output=True, text=True)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert line.startswith(f"probe_{strategy}: ") and complaint in line
