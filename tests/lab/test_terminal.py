"""The terminal shows what to use within a screen and, when asked, every table, in 120 columns and in 80."""

import io
import re
from functools import cache, partial

import pytest
from rich.console import Console

from freehold_lab.model import State
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import sections
from freehold_lab.report.tables.model import Cell, Column, Row, Section, Table
from freehold_lab.report.terminal import show, show_section
from freehold_lab.workloads import ALL, PROGRAMS
from synthetic import MEMORY_TRUTHS, TRUTHS, make_result

BOOST = tuple(truth.name for truth in TRUTHS if truth.name.startswith("boost"))


def shown(result, width=120, everything=True):
    console = Console(file=io.StringIO(), width=width)
    show(result, console, everything)
    return console.file.getvalue()


def row(text, label):
    """The first row of a table that begins with `label`."""
    return next(line for line in text.splitlines() if line.startswith(f"{label}  "))


@pytest.fixture(scope="module")
def result():
    return make_result(missing=BOOST)


@pytest.fixture(scope="module")
def texts(result):
    """The whole report by its width."""
    return cache(partial(shown, result))


@pytest.fixture(scope="module")
def text(texts):
    return texts(120)


@pytest.mark.parametrize("width", [80, 120])
def test_every_figure_is_there_and_fits(result, texts, width):
    text = texts(width)
    assert max(map(len, text.splitlines())) <= width
    for section in sections(Figures(result)):
        for table in section.tables:
            assert table.title in text
            for row in table.rows:
                assert row.label in text
                for cell in row.cells:
                    figures = f"{cell.text} {cell.detail}".rstrip()
                    # Only what is long, a demangled name, may go over more than one line.
                    assert figures in text or len(figures) > width // 2


def test_wide_tables_are_drawn_in_one_piece(text):
    heading = next(line for line in text.splitlines() if "Initialization" in line and "Copy" in line)
    assert "Set of 2 " in heading
    assert "Set of 32" in heading


def test_absent_strategies_say_why(text):
    assert "future\n  not built yet\n" in "\n".join(line.rstrip() for line in text.splitlines())
    assert "install libboost-dev" in text


def test_each_table_has_the_command_that_makes_it(text):
    for workload in ("operations", "containers", "instantiation", "queens", "binary-trees", "rings", "code-size"):
        for compiler in ("g++-12", "clang++-19"):
            assert f"./freehold run --only {workload} --compiler {compiler}" in text
    assert "./freehold run --only data-size" in text


def test_what_to_use_comes_last(text):
    assert text.index("What to use") > text.index("Data size")


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_unless_asked_for_all_it_fits_a_screen(result, width):
    whole = make_result([*TRUTHS, *MEMORY_TRUTHS], missing=BOOST)
    lines = shown(whole.model_copy(update={"quick": True}), width, everything=False).splitlines()
    assert len(lines) <= 40 - len(["result: …"])
    assert max(map(len, lines)) <= width


def test_each_need_has_its_pick_and_what_it_gains(result):
    found = r"Shared in one thread +intrusive_ptr, plain +std::shared_ptr +0\.1\d \(0.*\) "
    assert re.search(found, shown(result))


def test_a_restriction_names_what_to_use_where_it_does_not_hold(result):
    assert "Shared in one thread: the class holds its count, no weak pointer; else local_shared_ptr, 0." in shown(
        result
    )


def test_what_another_compiler_decides_otherwise_is_said():
    result = make_result([each for each in TRUTHS if each.name in ("shared_ptr", "local_shared_ptr", "std_shared_ptr")])
    assert "With clang++-19 instead" not in shown(result)

    def slower(launch):
        points = [each.model_copy(update={"nanoseconds": 9 * each.nanoseconds}) for each in launch.points]
        return launch.model_copy(update={"points": points})

    slow = [
        slower(each) if (each.cell.compiler, each.cell.strategy) == ("clang++-19", "local_shared_ptr") else each
        for each in result.launches
    ]
    result = result.model_copy(update={"launches": slow, "findings": None})
    assert re.search(r"With clang\+\+-19 instead: .*Shared in one thread: shared_ptr \(", shown(result))


def test_ties_and_the_control_are_shown():
    text = shown(make_result([truth._replace(initialisation=30, copy=5) for truth in TRUTHS[-5:]]))
    assert "≈1.0" in row(text, "boost::shared_ptr(new)")
    assert "1 0.9" in row(text, "std::make_shared")


def test_counts_per_copy_are_the_slope_of_the_counts():
    text = shown(make_result(TRUTHS[-5:], compilers=("g++-12",), states=(State.THREADED,)))
    cells = row(text, "std::make_shared").split()
    assert cells[4:6] == ["126", "1"]
    assert cells[9:11] == ["9", "2"]


def test_instantiation_has_both_states_and_two_threads_at_once():
    text = shown(make_result(TRUTHS[-5:], compilers=("g++-12",)), 160)
    table = text[text.index("Instantiation, make and release: g++-12") :]
    heading = table.splitlines()[1]
    assert heading.index("One thread") < heading.index("Second thread started") < heading.index("Two threads at once")
    assert row(table, "std::make_shared").split()[4:6] == ["90", "0"]  # instructions and locked operations


def test_a_strategy_that_takes_no_part_in_a_workload_has_no_row_there(text):
    programs = [f"{ALL[program].title} " for program in PROGRAMS]
    titles = ["Operations ", "Containers ", "Instantiation ", *programs, "Code size ", "Data size ", "What to use"]
    starts = [text.index(f"\n{title}") for title in titles]
    rows = {title: text[start:end] for title, start, end in zip(titles, starts, starts[1:], strict=False)}
    assert [title for title, part in rows.items() if "\nmanaged " in part] == [
        "Instantiation ",
        "Binary trees ",
        "Code size ",
        "Data size ",
    ]
    assert [title for title, part in rows.items() if "\nRust Arc " in part] == [
        "Operations ",
        "Instantiation ",
        *programs[:2],
    ]


@pytest.mark.parametrize(
    "choices",
    [
        {"counts": False},
        {"sizes": False},
        {"compilers": ("clang++-19",)},
        {"states": (State.ALONE,)},
        {"rounds": 1},
        {"rounds": 0},
        {"rounds": 0, "counts": False, "sizes": False},
        {"missing": ("std_shared_ptr",)},
        {"compilers": ()},
    ],
    ids=str,
)
@pytest.mark.parametrize("width", [40, 120])
def test_whatever_is_missing_it_draws(choices, width):
    assert shown(make_result(TRUTHS[-5:], **{"compilers": ("g++-12",), **choices}), width)


def test_a_run_that_is_not_whole_says_so():
    result = make_result(TRUTHS[-5:], rounds=4)
    text = shown(result.model_copy(update={"complete": False, "quick": True}))
    assert "interrupted" in text
    assert "quick run" in text
    assert "4 rounds" in text
    assert "a note of the run" in text


def test_a_group_that_is_wider_than_the_terminal_goes_over_several_tables():
    columns = [Column(f"title of {number}", "Group") for number in range(4)]
    rows = [Row("label", [Cell(f"figure {number}") for number in range(4)])]
    console = Console(file=io.StringIO(), width=40)
    show_section(Section("map", "Title", [], [Table("Subject", columns, rows, command="")]), console)
    lines = console.file.getvalue().splitlines()
    assert sum(line.split() == ["Group"] for line in lines) == 2
    assert all(any(f"figure {number}" in line for line in lines) for number in range(4))
