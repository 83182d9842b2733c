"""heap-or-stack as it is drawn: figures in tables, and no machine code in a terminal."""

import io

import pytest
from rich.console import Console

from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import heap_or_stack
from freehold_lab.report.terminal import show
from synthetic import FUNCTIONS, MEMORY_TRUTHS, TRUTHS, make_result


@pytest.fixture(scope="module")
def result():
    return make_result(MEMORY_TRUTHS, rounds=1, sizes=False)


@pytest.fixture(scope="module")
def section(result):
    (found,) = heap_or_stack.sections(Figures(result))
    return found


def row(table, label):
    (found,) = (row for row in table.rows if row.label == label)
    return [f"{cell.text} {cell.detail}".strip() for cell in found.cells]


def test_each_compiler_has_a_table(section):
    assert [table.title for table in section.tables] == ["Heap or stack: g++-12", "Heap or stack: clang++-19"]


def test_each_function_has_its_bytes_and_its_counts(section):
    assert section.tables[0].groups == [(function, 3) for function in FUNCTIONS]
    assert [column.title for column in section.tables[0].columns[:3]] == ["bytes", "exclusive", "inclusive"]


def test_a_cold_part_is_beside_the_hot_one(section):
    assert row(section.tables[0], "mimalloc")[:6] == ["80", "60", "900", "84 + 3", "61", "901"]


def test_a_strategy_that_takes_no_part_has_no_row(section):
    assert "pool" not in {row.label for row in section.tables[0].rows}


def test_without_counts_there_are_bytes():
    (section,) = heap_or_stack.sections(Figures(make_result(MEMORY_TRUTHS, rounds=1, counts=False)))
    assert row(section.tables[0], "mimalloc")[:3] == ["80", "–", "–"]
    assert not any("Instructions" in line for line in section.legend)


def test_a_run_without_it_has_no_section():
    assert heap_or_stack.sections(Figures(make_result(TRUTHS[:3], rounds=1))) == []


def test_the_terminal_shows_no_code(result):
    console = Console(file=io.StringIO(), width=120)
    show(result, console, everything=True)
    text = console.file.getvalue()
    assert "Heap or stack: g++-12" in text and "allocate<list>" not in text
