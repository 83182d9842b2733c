"""The tables of the workloads that have none of their own, shown mostly by those of memory."""

import pytest

from freehold_lab.model import Peak, Point, State
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import common
from freehold_lab.workloads import BY_NAME, TIMED_MEMORY, UNCOUNTED, WITH_UNITS
from synthetic import MEMORY_TRUTHS, TRUTHS, make_result


@pytest.fixture(scope="module")
def sections():
    pointers = [each for each in TRUTHS if "shared_ptr" in each.name]
    found = common.sections(Figures(make_result(pointers + MEMORY_TRUTHS, noise=0)))
    return {section.workload: section for section in found}


def row(table, label):
    (found,) = (row for row in table.rows if row.label == label)
    titles = [f"{column.group} {column.title}" for column in table.columns]
    return dict(zip(titles, (cell.text for cell in found.cells), strict=True))


def test_each_workload_with_a_unit_has_a_section(sections):
    assert list(sections) == list(WITH_UNITS)
    assert set(TIMED_MEMORY) < set(WITH_UNITS)


def test_a_run_of_pointers_has_none():
    assert common.sections(Figures(make_result(TRUTHS[:3], rounds=3))) == []


def test_times_are_for_one_of_what_is_counted(sections):
    assert row(sections["list"].tables[0], "pool")["Fresh, 10,000 nodes ns"] == "6.00"
    assert row(sections["batch"].tables[0], "pool")["32 bytes ns"] == "4.00"


def test_times_of_threads_are_for_what_each_does(sections):
    cells = row(sections["larson"].tables[0], "concurrent pool")
    assert (cells["16 to 64 bytes, 1 thread ns"], cells["16 to 64 bytes, 2 threads ns"]) == ("12.0", "18.0")


def test_ratios_are_to_new(sections):
    cells = row(sections["list"].tables[0], "pool")
    assert cells["Kept, 100 nodes ratio"] == "0.13"
    assert row(sections["list"].tables[0], "std::allocator (new)")["Kept, 100 nodes ratio"] == "1"


def test_memory_is_in_kibibytes(sections):
    cells = row(sections["churn"].tables[0], "mimalloc")
    assert [cells[f"16 to 64 bytes, 500 live blocks {each}"] for each in ("peak", "left")] == ["36,864", "4"]


def test_what_is_kept_is_between_the_peak_and_what_is_left(sections):
    cells = row(sections["phases"].tables[0], "mimalloc")
    kept = ("peak", "end", "idle", "left")
    assert [cells[f"Sizes change, 1,024 kibibytes {each}"] for each in kept] == ["36,864", "27,648", "18,432", "4"]
    assert "16 to 64 bytes, 500 live blocks idle" not in row(sections["churn"].tables[0], "mimalloc")


def test_without_peaks_there_is_no_column_for_them(sections):
    assert {column.title for column in sections["pair"].tables[0].columns} == {"ns", "ratio", "instr.", "locked"}


@pytest.mark.parametrize("workload", sorted(set(UNCOUNTED) - set(BY_NAME)))
def test_what_threads_do_at_once_is_timed_by_the_wall_and_not_counted(sections, workload):
    tables = sections[workload].tables
    assert len(tables) == 2  # one for each compiler
    assert {"instr.", "locked"}.isdisjoint(column.title for column in tables[0].columns)


@pytest.fixture
def published():
    """The tables of a pointer that is replaced, with percentiles, and with what two strategies have not yet freed."""
    replaced = [each for each in TRUTHS if each.name in ("atomic_shared_ptr", "std_atomic_shared_ptr")]
    made = make_result(replaced, rounds=3, noise=0, compilers=("g++-12",), states=(State.THREADED,))
    for launched in made.launches:
        times = {"store, p50": 600.0, "store, p99.99": 12_340.0, "clock alone, p50": 590.0}
        launched.points.extend(Point(series=series, x=2, nanoseconds=time) for series, time in times.items())
    made.peaks = [
        Peak(
            **{"workload": "published", "compiler": "g++-12", "series": "store", "x": 1},
            **{"strategy": each.name, "peak": 2048, "left": 0, "unfreed": unfreed},
        )
        for each, unfreed in zip(replaced, (16_384, 1), strict=True)
    ]
    (found,) = (each for each in common.sections(Figures(made)) if each.workload == "published")
    return found.tables


def test_percentiles_are_in_a_table_of_their_own_in_microseconds(published):
    times, latencies = published
    assert {column.group for column in times.columns} == {"Store"}
    assert latencies.title.startswith("Replaced without a pause: operations in microseconds, 2 threads: g++-12")
    assert latencies.series == []  # whatever series the page's charts show
    assert row(latencies, "atomic") == {"Store p50": "0.600", "Store p99.99": "12.3", "Clock alone p50": "0.590"}


def test_what_is_not_yet_freed_is_beside_the_memory(published):
    times, _ = published
    assert [row(times, each)["Store unfreed"] for each in ("atomic", "std::atomic<std::shared_ptr>")] == ["16,384", "1"]
    assert row(times, "atomic")["Store peak"] == "2"


def test_where_all_is_freed_at_once_there_is_no_column_for_what_is_not(sections):
    assert "unfreed" not in {column.title for column in sections["churn"].tables[0].columns}


def test_what_is_winked_out_has_tables_of_its_own(sections):
    titles = [table.title for table in sections["mixes"].tables]
    assert titles[:2] == [
        "Mixes of containers (P0089): g++-12, one thread",
        "Mixes of containers (P0089), winked out: g++-12, one thread",
    ]


def test_a_strategy_that_takes_no_part_has_no_row(sections):
    labels = {row.label for row in sections["pair"].tables[0].rows}
    assert "inline bump" not in labels and "pool" in labels
