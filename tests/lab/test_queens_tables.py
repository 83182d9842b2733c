"""The tables of n-queens: a board each, with the styles side by side."""

import pytest
from synthetic import TRUTHS, make_result

from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import queens

CHOSEN = [truth for truth in TRUTHS if truth.name in ("raw", "ocaml", "std_shared_ptr", "intrusive_ptr_plain")]


def section(truths=CHOSEN, **choices):
    return queens.section(Figures(make_result(truths, noise=0, compilers=("g++-12",), **choices)))


@pytest.fixture(scope="module")
def tables():
    return {table.title: table for table in section().tables}


def row(table, label):
    (found,) = (row for row in table.rows if row.label == label)
    titles = [f"{column.group} {column.title}" for column in table.columns]
    return dict(zip(titles, (cell.text for cell in found.cells), strict=True))


def test_each_board_has_a_table_for_each_compiler_and_state(tables):
    states = ("one thread", "second thread started")
    assert list(tables) == [f"Queens, n = {size}: g++-12, {state}" for state in states for size in (6, 8, 9)]


def test_the_styles_stand_side_by_side(tables):
    groups = [name for name, _ in tables["Queens, n = 9: g++-12, one thread"].groups]
    assert groups == ["By value", "Const reference", "Modern", "Borrowed"]


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


def test_what_is_executed_stands_where_it_was_counted(tables):
    small = tables["Queens, n = 6: g++-12, second thread started"]
    assert row(small, "std::make_shared")["By value locked"] == "40,000"
    assert row(small, "OCaml")["Borrowed instr."] == "200,000"
    for title, table in tables.items():
        assert ("locked" in {column.title for column in table.columns}) == ("n = 6" in title)


def test_who_cannot_share_has_no_row(tables):
    assert all("raw" not in {row.label for row in table.rows} for table in tables.values())


def test_nothing_measured_no_tables():
    assert section(rounds=0, counts=False).tables == []
