"""Valgrind sees into programs that use pointers, collectors and resources of resources, compiled as usual."""

import re

import pytest

from conftest import ERRORS, HERE, run

PROGRAMS = re.findall(r'^        \{"(\w+)",', (HERE / "programs.cpp").read_text(), re.MULTILINE)
CLEAN = [program for program in PROGRAMS if program.startswith("clean")]
# What they do is told where checks are on.
ONLY_CHECKED = ["read_after_the_end_of_a_cyclic_object"]


@pytest.mark.parametrize("program", CLEAN)
def test_nothing_is_reported_where_nothing_is_wrong(compiled, program):
    result = run(compiled("programs"), program)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


@pytest.mark.parametrize("program", [each for each in PROGRAMS if each.startswith(("read", "write"))])
def test_a_use_of_what_is_gone_is_reported(compiled, build, program):
    if program in ONLY_CHECKED and not build.is_checked:
        pytest.skip("only where checks are on")
    result = run(compiled("programs"), program)
    assert result.returncode == ERRORS
    assert "Invalid " in result.stderr


def test_a_stale_pointer_is_explained_by_who_made_and_who_released_the_object(compiled):
    result = run(compiled("programs"), "read_after_release")
    explained = r"inside a block of size 40 free'd\n.*Block was alloc'd at\n.*make_a_widget"
    assert re.search(explained, result.stderr, re.DOTALL)


def test_a_circle_of_owners_is_a_leak_with_who_made_it(compiled):
    result = run(compiled("programs"), "circle")
    assert result.returncode == ERRORS
    assert "are definitely lost" in result.stderr
    assert "make_a_widget" in result.stderr


def test_a_block_without_a_value_is_not_taken_for_zero(compiled):
    result = run(compiled("programs"), "use_of_what_has_no_value")
    assert "depends on uninitialised value" in result.stderr


@pytest.mark.parametrize("tool", ["callgrind", "cachegrind", "massif", "dhat"])
def test_other_tools_measure_the_fast_path(compiled, tool):
    program = compiled("fast_path")
    assert run(program, tool=tool).stdout == "fast\n"
    assert run(program).stdout == "slow\n"
