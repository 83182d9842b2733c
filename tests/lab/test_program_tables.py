"""The tables of programs: one for each size, with the series side by side."""

import pytest

from freehold_lab.model import Point, State
from freehold_lab.report import about
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import programs
from freehold_lab.workloads import PROGRAMS
from synthetic import STYLES, TRUTHS, make_result

CHOSEN = [
    truth for truth in TRUTHS if truth.name in ("raw", "traced_ptr", "ocaml", "std_shared_ptr", "intrusive_ptr_plain")
]
UNCOUNTED = [truth for truth in TRUTHS if truth.family == "uncounted"]


def section(truths=CHOSEN, workload="queens", **choices):
    found = programs.sections(Figures(make_result(truths, noise=0, compilers=("g++-12",), **choices)))
    return next(each for each in found if each.workload == workload)


@pytest.fixture(scope="module")
def tables():
    return {table.title: table for table in section().tables}


def row(table, label):
    (found,) = (row for row in table.rows if row.label == label)
    titles = [f"{column.group} {column.title}" for column in table.columns]
    return dict(zip(titles, (cell.text for cell in found.cells), strict=True))


def test_each_board_has_a_table_for_each_compiler_and_state(tables):
    states = ("one thread", "second thread started")
    assert [title for title in tables if title.startswith("Queens, n")] == [
        f"Queens, n = {size}: g++-12, {state}" for state in states for size in (6, 8, 9)
    ]


def test_the_styles_are_side_by_side(tables):
    groups = [name for name, _ in tables["Queens, n = 9: g++-12, one thread"].groups]
    assert groups == ["By value", "Const reference", "Modern", "Borrowed", "Direct"]


def test_ratios_are_to_ocaml(tables):
    cells = row(tables["Queens, n = 9: g++-12, one thread"], "std::make_shared")
    assert (cells["Borrowed ms"], cells["Borrowed ratio"]) == ("300", "3.00")
    assert cells["By value ratio"] == "4.74"
    assert row(tables["Queens, n = 9: g++-12, one thread"], "OCaml")["Modern ratio"] == "1"


def test_without_ocaml_ratios_are_to_the_standard_library():
    found = section(missing=("ocaml",))
    cells = row(found.tables[0], "intrusive, plain")
    assert cells["Borrowed ratio"] == "0.40"
    assert "that of std::make_shared" in found.legend[-1]


def test_instructions_are_shown_where_they_were_counted(tables):
    small = tables["Queens, n = 6: g++-12, second thread started"]
    assert row(small, "std::make_shared")["By value locked"] == "40,000"
    assert row(small, "OCaml")["Borrowed instr."] == "200,000"
    for title, table in tables.items():
        assert ("locked" in {column.title for column in table.columns}) == ("n = 6" in title)


def test_the_memory_of_the_largest_board_is_beside_what_is_left_of_it(tables):
    cells = row(tables["Queens, memory in KiB, n = 9: g++-12"], "std::make_shared")
    assert (cells["By value peak"], cells["Borrowed left"]) == ("122,880", "5")


def test_the_time_of_the_standard_library_is_shared_out_between_counting_and_allocation():
    found = section(CHOSEN + UNCOUNTED)
    (table,) = (table for table in found.tables if "shares" in table.title)
    assert [column.title for column in table.columns] == STYLES * 2
    counting, allocation = row(table, "Counting"), row(table, "Allocation")
    # 30 ns for a cell and 5.8 ns for each of three copies, and 12 ns more for each that locks.
    alone, threaded = "One thread", "Second thread started"
    assert (counting[f"{alone} by value"], counting[f"{alone} borrowed"]) == ("75 %", "60 %")
    assert (counting[f"{threaded} by value"], allocation[f"{threaded} by value"]) == ("87 %", "3 %")
    assert allocation[f"{alone} borrowed"] == "10 %"
    assert "counting takes 75 % (one thread) and 87 % (second thread started)" in found.legend[-1]


@pytest.mark.parametrize("missing", ["uncounted_malloc", "std_shared_ptr"])
def test_without_those_that_leave_it_out_nothing_is_shared_out(missing):
    found = section(CHOSEN + UNCOUNTED, missing=(missing,))
    assert not any("shares" in table.title for table in found.tables)
    assert not any("article found" in line for line in found.legend)


def test_without_the_stack_allocation_has_no_share():
    found = section(CHOSEN + UNCOUNTED[:1])
    (table,) = (table for table in found.tables if "shares" in table.title)
    assert [each.label for each in table.rows] == ["Counting"]


def test_a_sole_owner_has_no_row(tables):
    assert all("raw" not in {row.label for row in table.rows} for table in tables.values())


@pytest.mark.parametrize("workload", PROGRAMS)
def test_nothing_measured_no_tables(workload):
    assert section(workload=workload, rounds=0, counts=False, sizes=False).tables == []


def test_every_program_has_a_section():
    found = programs.sections(Figures(make_result(CHOSEN, rounds=3)))
    assert [each.workload for each in found if each.tables] == list(PROGRAMS)


def test_the_runs_of_a_collector_are_beside_its_memory():
    (table,) = section(workload="rings", counts=False, rounds=0).tables
    assert table.title == "Rings, memory in KiB, 100,000: g++-12"
    assert row(table, "OCaml")["Cursor runs"] == row(table, "traced")["Cursor runs"] == "17"
    assert row(table, "traced")["Cursor longest"] == "1.235"
    assert row(table, "OCaml")["Cursor longest"] == row(table, "std::make_shared")["Cursor longest"] == "–"
    assert row(table, "std::make_shared")["Cursor runs"] == "–"


def test_pauses_are_side_by_side_by_the_size_of_the_live_tree():
    allocate, store = section(workload="live-tree").tables[-2:]
    assert allocate.title == "Live tree, allocate, pauses in milliseconds: g++-12"
    assert store.title == "Live tree, store, pauses in milliseconds: g++-12"
    assert [each.label for each in allocate.rows] == ["traced"]
    assert (
        row(allocate, "traced")
        == row(store, "traced")
        == {
            "10,000 nodes median": "0.011",
            "10,000 nodes longest": "1.235",
            "100,000 nodes median": "0.101",
            "100,000 nodes longest": "1.235",
        }
    )


def test_without_reported_pauses_there_is_no_table_of_them():
    found = section(workload="live-tree", missing=("traced_ptr",))
    assert found.tables and not any("pauses" in table.title for table in found.tables)


def test_trees_are_shown_by_their_depth_and_beside_ocaml():
    found = section(workload="binary-trees", states=(State.ALONE,))
    assert [table.title for table in found.tables] == [
        "Binary trees, depth 8: g++-12, one thread",
        "Binary trees, depth 12: g++-12, one thread",
        "Binary trees, memory in KiB, depth 12: g++-12",
    ]
    cells = row(found.tables[1], "std::make_shared")
    assert (cells["Trees ms"], cells["Trees ratio"]) == ("21.0", "3.00")
    assert row(found.tables[2], "std::make_shared")["Trees peak"] == "122,880"


def test_the_longest_operations_do_not_make_a_run_noisy():
    made = make_result(CHOSEN, rounds=6, noise=0, compilers=("g++-12",))
    made.launches = [each for each in made.launches if each.cell.workload == "binary-trees"]
    for i, each in enumerate(made.launches):
        for group in ("one", "hundred"):
            each.points.append(Point(series=f"trees, {group}, max", x=12, nanoseconds=10.0 ** (1 + i * i % 7)))
    made.findings = None
    assert not [each for each in about.remarks(Figures(made)) if each.startswith("A noisy run")]
