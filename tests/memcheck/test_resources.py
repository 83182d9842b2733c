"""Valgrind sees into the resources: what is wrong is reported, and nothing else."""

import pytest

from conftest import ERRORS, run

RESOURCES = [
    "concurrent_monotonic_resource",
    "concurrent_pool_resource",
    "monotonic_resource",
    "pool_resource",
    "region_resource",
    "run_length_resource",
    "small_block_pool",
    "stack_resource",
]
# Their deallocate takes no slow path, and is not told where checks are off.
SILENT_WITHOUT_CHECKS = ["concurrent_monotonic_resource", "monotonic_resource", "region_resource"]
# What they do not get back one by one, they have until the end.
WITHOUT_LEAKS = ["concurrent_monotonic_resource", "monotonic_resource", "region_resource"]
# A block that is not the newest is a precondition of a stack.
WITHOUT_SECOND_FREE = [*WITHOUT_LEAKS, "stack_resource"]
FAULTS = ["none", "read", "write", "beyond", "leak"]
# Of those that ask their upstream for each large block, one with and one without threads.
WITH_LARGE_BLOCKS = ["concurrent_pool_resource", "region_resource"]
LARGE_FAULTS = ["large-none", "large-beyond", "large-leak", "large-twice"]
CASES = [
    *(f"{resource}:{fault}" for resource in RESOURCES for fault in FAULTS),
    *(f"{resource}:twice" for resource in RESOURCES if resource not in WITHOUT_SECOND_FREE),
    *(f"{resource}:{fault}" for resource in WITH_LARGE_BLOCKS for fault in LARGE_FAULTS),
    "guard_resource:none",
]


@pytest.fixture
def outcome(compiled):
    outcomes = compiled.run("resources", CASES)
    return lambda resource, fault: outcomes[f"{resource}:{fault}"]


@pytest.mark.parametrize("resource", [*RESOURCES, "guard_resource"])
def test_nothing_is_reported_where_nothing_is_wrong(outcome, resource):
    result = outcome(resource, "none")
    assert (result.returncode, result.report) == (0, "")


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize(("fault", "report"), [("read", "Invalid read"), ("write", "Invalid write")])
def test_a_use_of_a_freed_block_is_reported(outcome, build, resource, fault, report):
    if resource in SILENT_WITHOUT_CHECKS and not build.is_checked:
        pytest.skip("only where checks are on")
    result = outcome(resource, fault)
    assert result.returncode == ERRORS
    assert report in result.report


@pytest.mark.parametrize("resource", SILENT_WITHOUT_CHECKS)
def test_a_use_of_a_freed_block_is_reported_without_checks_where_the_program_wants_it(told, resource):
    cases = [f"{each}:read" for each in SILENT_WITHOUT_CHECKS]
    assert "Invalid read" in told.run("resources", cases)[f"{resource}:read"].report


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_use_beyond_the_end_is_reported(outcome, resource):
    result = outcome(resource, "beyond")
    assert result.returncode == ERRORS
    assert "Invalid write" in result.report


@pytest.mark.parametrize("resource", [each for each in RESOURCES if each not in WITHOUT_SECOND_FREE])
def test_a_second_free_is_reported(outcome, resource):
    result = outcome(resource, "twice")
    assert "Invalid free()" in result.report
    assert "free'd" in result.report


@pytest.mark.parametrize("resource", [each for each in RESOURCES if each not in WITHOUT_LEAKS])
def test_a_block_that_nothing_refers_to_is_reported_with_who_allocated_it(outcome, resource):
    result = outcome(resource, "leak")
    assert result.returncode == ERRORS
    assert "lost in loss record" in result.report
    assert "forget_a_block" in result.report


@pytest.mark.parametrize("resource", WITH_LARGE_BLOCKS)
@pytest.mark.parametrize(
    ("fault", "report"),
    [
        ("large-none", None),
        ("large-beyond", "Invalid write"),
        ("large-leak", "forget_a_block"),
        ("large-twice", "Invalid free()"),
    ],
)
def test_large_blocks_are_seen_as_others_are(outcome, resource, fault, report):
    result = outcome(resource, fault)
    assert (result.returncode, result.report) == (0, "") if report is None else report in result.report


@pytest.mark.parametrize("resource", WITHOUT_LEAKS)
def test_what_is_freed_with_its_resource_is_no_leak(outcome, resource):
    result = outcome(resource, "leak")
    assert result.returncode == 0, result.report


def test_an_overrun_is_reported_where_it_happens_before_the_guard_finds_it(compiled):
    told = run(compiled.executable("resources"), "guard_resource:beyond").stderr  # by Valgrind, and by the guard
    assert "Invalid write" in told
    assert "was overrun at byte 60" in told
