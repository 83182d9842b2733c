"""The memory that programs take: as much as what lives at once, and no more the longer they run."""

import pytest

from fakes import program
from freehold_lab.measure.probe import peaks
from freehold_lab.model import Peak
from freehold_lab.workloads import QUEENS
from synthetic import STYLES
from test_timing import styles_of_trees

SCALE = 1_000_000  # of boards up to n = 9, which make a million cells; some hundred of them live at once
SMALLER = 300_000  # of boards up to n = 8
LITTLE = 128 * 1024  # a small part of what all cells would take even there


def read(probes, strategy, workload=QUEENS, scale=SCALE):
    return peaks(probes.executable(strategy), [workload], probes.compiler, strategy, scale)


def test_a_peak_holds_what_the_probe_prints(tmp_path):
    answer = '{"checksum": "0", "points": [{"series": "modern", "x": 8, "peak": 4096, "left": 0}]}'
    executable = program(tmp_path, "probe_raw", f"echo \"$@\" > {tmp_path}/asked; echo '{answer}'")
    assert peaks(executable, [QUEENS], "g++-12", "raw", 1000) == [
        Peak(workload=QUEENS, compiler="g++-12", strategy="raw", series="modern", x=8, peak=4096, left=0)
    ]
    assert (tmp_path / "asked").read_text() == "memory queens --scale 1000\n"


def test_a_process_tells_what_it_keeps_of_each_workload(probes):
    asked = ("phases", "list", "one-size")
    executable = probes.executable("pool_resource")
    told, after_idling = (peaks(executable, asked, "g++-12", "pool_resource", 100, idle) for idle in (False, True))
    for found in (told, after_idling):
        assert list(dict.fromkeys(each.workload for each in found)) == list(asked)
        assert [(each.resident is None) for each in found] == [each.workload == "list" for each in found]
        assert all(each.resident <= each.peak for each in found if each.resident)
    # A MiB is alive in phases to the end.
    assert all(each.resident > 1 << 20 for each in told if each.workload == "phases")
    assert {each.idle for each in told} == {None}
    assert all(each.left <= each.idle <= each.peak for each in after_idling if each.workload != "list")


@pytest.mark.parametrize("strategy", ["std_shared_ptr", "rust_arc", "ocaml", "uncounted_boehm"])
def test_the_memory_of_every_style_of_queens_is_measured_on_every_board(probes, strategy):
    assert [(each.series, each.x) for each in read(probes, strategy)] == [(s, x) for s in STYLES for x in (6, 8, 9)]


@pytest.mark.parametrize(
    "strategy",
    [
        *("std_shared_ptr", "shared_ptr", "thin_ptr", "local_shared_ptr", "intrusive_ptr", "boost_make_shared"),
        *("rust_rc", "uncounted_malloc", "uncounted_stack", "uncounted_free_list", "uncounted_marked_region"),
    ],
)
def test_what_dies_on_the_way_is_used_again(probes, strategy):
    found = read(probes, strategy, scale=SMALLER)
    # The smallest boards may need no more than the process has already.
    assert any(each.peak > 0 for each in found)
    for each in found:
        assert each.left <= each.peak < LITTLE


@pytest.mark.parametrize("strategy", ["std_shared_ptr", "managed_ptr", "cyclic_ptr", "rust_rc", "uncounted_stack"])
def test_trees_take_what_two_of_them_do(probes, strategy):
    weighed = read(probes, strategy, "binary-trees")
    trees = [(series, depth) for series in styles_of_trees(strategy) for depth in (8, 12, 16)]
    assert [(each.series, each.x) for each in weighed] == trees
    # Nodes of 16 to 80 bytes, and what the process has beside them.
    assert 2 * 16 << 16 <= weighed[-1].peak <= (2 * 80 << 17) + LITTLE


@pytest.mark.parametrize("strategy", ["cyclic_ptr", "traced_ptr", "ocaml", "uncounted_boehm"])
def test_collectors_report_their_runs_and_a_cursor_makes_none_run(probes, strategy):
    runs = {each.series: each.collections for each in read(probes, strategy, "rings")}  # of the largest x
    assert runs["cursor"] == 0
    assert runs["churn, few live"] > 0 and runs["churn, a tenth lives"] > 0


@pytest.mark.parametrize("workload", [QUEENS, "binary-trees"])
@pytest.mark.parametrize("strategy", ["traced_ptr", "uncounted_boehm"])
def test_pauses_are_reported_where_a_collector_ran(probes, strategy, workload):
    weighed = read(probes, strategy, workload)
    assert max(each.collections for each in weighed) > 0
    for each in weighed:
        assert (each.longest_pause is None) == (each.collections == 0)
        assert each.longest_pause is None or 0 < each.median_pause <= each.longest_pause


def test_without_reported_pauses_there_are_none(probes):
    assert {each.longest_pause for each in read(probes, "ocaml", "rings")} == {None}


@pytest.mark.parametrize("strategy", ["cyclic_ptr", "traced_ptr"])
def test_a_collector_reports_its_pauses_where_it_ran(probes, strategy):
    weighed = read(probes, strategy, "rings")
    assert any(each.collections for each in weighed)
    assert all((each.longest_pause is not None) == (each.collections > 0) for each in weighed)


@pytest.mark.parametrize("strategy", ["cyclic_ptr", "traced_ptr", "ocaml", "uncounted_boehm"])
def test_what_leaves_a_graph_is_collected(probes, strategy):
    runs = {each.x: each.collections for each in read(probes, strategy, "graph")}
    assert runs[100_000] > 0


def test_a_traced_heap_reports_its_pauses_beside_trees_of_every_size(probes):
    weighed = read(probes, "traced_ptr", "live-tree")
    paused = {(each.series, each.x) for each in weighed if each.longest_pause is not None}
    assert paused >= {(series, x) for series in ("allocate", "store") for x in (1_000_000, 4_000_000)}


def test_without_a_collector_there_are_no_runs(probes):
    assert {each.collections for each in read(probes, "std_shared_ptr", "rings")} == {None}


def test_rings_that_are_dropped_do_not_pile_up(probes):
    few, a_tenth = (
        max(each.peak for each in read(probes, "cyclic_ptr", "rings") if each.series == series)
        for series in ("churn, few live", "churn, a tenth lives")
    )
    assert few < 1 << 20
    assert a_tenth < 4 << 20  # of which 2.4 MB live: a tenth of a million nodes of 24 bytes


def test_a_region_keeps_all_to_the_end_and_then_gives_it_back(probes):
    for each in read(probes, "uncounted_region"):
        assert each.left < LITTLE
        assert (each.peak > 16 << 20) == (each.x == 9)


def test_a_traced_heap_gives_all_back_when_it_ends(probes):
    for each in read(probes, "traced_ptr"):
        assert each.peak > 1 << 20 and each.left < LITTLE


def test_a_collector_keeps_its_nursery(probes):
    assert all(each.peak > 1 << 20 and each.left > 1 << 20 for each in read(probes, "ocaml"))


def test_a_cycle_of_owners_that_is_not_collected_shows_in_the_peak(probes):
    weighed = {
        strategy: {each.series: each.peak for each in read(probes, strategy, "document-tree", scale=SMALLER)}
        for strategy in ("std_shared_ptr", "cyclic_ptr")
    }
    leaking = weighed["std_shared_ptr"]
    assert leaking["parents owned"] > 2 * leaking["parents observed"]
    assert leaking["parents owned"] > 2 * weighed["cyclic_ptr"]["parents owned"]


@pytest.mark.parametrize("workload", ["published", "map"])
def test_what_is_not_yet_freed_is_counted(probes, workload):
    unfreed = {
        strategy: {each.x: each.unfreed for each in read(probes, strategy, workload)}
        for strategy in ("raw_atomic_ptr", "hazard_pointer", "atomic_shared_ptr", "std_atomic_shared_ptr")
    }
    for threads, never_freed in unfreed["raw_atomic_ptr"].items():
        assert never_freed > 100_000
        assert 0 <= unfreed["std_atomic_shared_ptr"][threads] < 2 * threads  # what readers hold
        assert 0 <= unfreed["hazard_pointer"][threads] < 37_000 + 2 * threads
        assert 0 <= unfreed["atomic_shared_ptr"][threads] < 33_000 * threads


@pytest.mark.parametrize("workload", ["published", "map"])
def test_what_is_not_yet_freed_is_counted_in_rust(probes, workload):
    points = read(probes, "rust_arc_rwlock", workload)
    assert points and all(0 <= each.unfreed < 2 * each.x for each in points)  # what readers hold


def test_where_nothing_is_replaced_nothing_is_not_yet_freed(probes):
    assert {each.unfreed for each in read(probes, "std_shared_ptr", "rings")} == {None}
