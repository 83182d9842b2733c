"""Valgrind sees into the resources: what is wrong is reported, and nothing else."""

import pytest

from conftest import ERRORS, run

RESOURCES = [
    "concurrent_pool_resource",
    "monotonic_resource",
    "pool_resource",
    "region_resource",
    "run_length_resource",
    "small_block_pool",
    "stack_resource",
]
# Their deallocate takes no slow path, and is not told where checks are off.
SILENT_WITHOUT_CHECKS = ["monotonic_resource", "region_resource"]
# What they do not get back one by one, they have until the end.
WITHOUT_LEAKS = ["monotonic_resource", "region_resource"]
# A block that is not the newest is a precondition of a stack.
WITHOUT_SECOND_FREE = [*WITHOUT_LEAKS, "stack_resource"]


@pytest.mark.parametrize("resource", [*RESOURCES, "guard_resource"])
def test_nothing_is_reported_where_nothing_is_wrong(compiled, resource):
    result = run(compiled("resources"), resource, "none")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize(("fault", "report"), [("read", "Invalid read"), ("write", "Invalid write")])
def test_a_use_of_a_freed_block_is_reported(compiled, build, resource, fault, report):
    if resource in SILENT_WITHOUT_CHECKS and not build.is_checked:
        pytest.skip("only where checks are on")
    result = run(compiled("resources"), resource, fault)
    assert result.returncode == ERRORS
    assert report in result.stderr


@pytest.mark.parametrize("resource", SILENT_WITHOUT_CHECKS)
def test_a_use_of_a_freed_block_is_reported_without_checks_where_the_program_wants_it(told, resource):
    assert "Invalid read" in run(told("resources"), resource, "read").stderr


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_use_beyond_the_end_is_reported(compiled, resource):
    result = run(compiled("resources"), resource, "beyond")
    assert result.returncode == ERRORS
    assert "Invalid write" in result.stderr


@pytest.mark.parametrize("resource", [each for each in RESOURCES if each not in WITHOUT_SECOND_FREE])
def test_a_second_free_is_reported(compiled, resource):
    result = run(compiled("resources"), resource, "twice")
    assert "Invalid free()" in result.stderr
    assert "free'd" in result.stderr


@pytest.mark.parametrize("resource", [each for each in RESOURCES if each not in WITHOUT_LEAKS])
def test_a_block_that_nothing_refers_to_is_reported_with_who_allocated_it(compiled, resource):
    result = run(compiled("resources"), resource, "leak")
    assert result.returncode == ERRORS
    assert "lost in loss record" in result.stderr
    assert "forget_a_block" in result.stderr


@pytest.mark.parametrize("resource", WITHOUT_LEAKS)
def test_what_is_freed_with_its_resource_is_no_leak(compiled, resource):
    result = run(compiled("resources"), resource, "leak")
    assert result.returncode == 0, result.stderr


def test_an_overrun_is_reported_where_it_happens_before_the_guard_finds_it(compiled):
    result = run(compiled("resources"), "guard_resource", "beyond")
    assert "Invalid write" in result.stderr
    assert "was overrun at byte 60" in result.stderr
