"""Valgrind sees into programs that use pointers, collectors and resources of resources, compiled as usual."""

import re

import pytest

from conftest import ERRORS, HERE, run

PROGRAMS = re.findall(r'^        \{"(\w+)",', (HERE / "programs.cpp").read_text(), re.MULTILINE)
CLEAN = [program for program in PROGRAMS if program.startswith("clean")]
# What they do is told where checks are on.
ONLY_CHECKED = ["read_after_the_end_of_a_cyclic_object"]


@pytest.fixture
def outcome(compiled):
    return compiled.run("programs", PROGRAMS).__getitem__


@pytest.mark.parametrize("program", CLEAN)
def test_nothing_is_reported_where_nothing_is_wrong(outcome, program):
    result = outcome(program)
    assert (result.returncode, result.report) == (0, "")


@pytest.mark.parametrize("program", [each for each in PROGRAMS if each.startswith(("read", "write"))])
def test_a_use_of_what_is_gone_is_reported(outcome, build, program):
    if program in ONLY_CHECKED and not build.is_checked:
        pytest.skip("only where checks are on")
    result = outcome(program)
    assert result.returncode == ERRORS
    assert "Invalid " in result.report


def test_a_stale_pointer_is_explained_by_who_made_and_who_released_the_object(outcome):
    result = outcome("read_after_release")
    explained = r"inside a block of size 40 free'd\n.*Block was alloc'd at\n.*make_a_widget"
    assert re.search(explained, result.report, re.DOTALL)


def test_a_circle_of_owners_is_a_leak_with_who_made_it(outcome):
    result = outcome("circle")
    assert result.returncode == ERRORS
    assert "are definitely lost" in result.report
    assert "make_a_widget" in result.report


def test_a_block_without_a_value_is_not_taken_for_zero(outcome):
    result = outcome("use_of_what_has_no_value")
    assert "depends on uninitialised value" in result.report


@pytest.mark.parametrize(
    ("tool", "path"),
    [("callgrind", "fast"), ("cachegrind", "fast"), ("massif", "fast"), ("dhat", "fast"), ("memcheck", "slow")],
)
def test_other_tools_measure_the_fast_path(compiled, tool, path):
    assert run(compiled.executable("fast_path"), tool=tool).stdout == f"{path}\n"
