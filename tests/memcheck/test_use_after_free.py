"""Valgrind sees into the resources: a use of a freed block is reported, and nothing else."""

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"

RESOURCES = [
    "concurrent_pool_resource",
    "monotonic_resource",
    "pool_resource",
    "region_resource",
    "run_length_resource",
    "small_block_pool",
    "stack_resource",
]
ERRORS = 9  # the exit code that stands for errors which Valgrind has reported


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    output = tmp_path_factory.mktemp("memcheck") / "use_after_free"
    options = ["-std=c++20", "-O1", "-g", "-DFREEHOLD_VALGRIND", f"-I{INCLUDE}"]
    subprocess.run(["g++", *options, HERE / "use_after_free.cpp", "-o", output], check=True)
    return output


def memcheck(program, resource, fault):
    command = ["valgrind", "--quiet", f"--error-exitcode={ERRORS}", program, resource, fault]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("resource", [*RESOURCES, "guard_resource"])
def test_nothing_is_reported_where_nothing_is_wrong(program, resource):
    result = memcheck(program, resource, "none")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("resource", RESOURCES)
@pytest.mark.parametrize(
    ("fault", "report"),
    [("read", "Invalid read"), ("write", "Invalid write"), ("beyond", "Invalid write")],
)
def test_a_use_of_what_is_not_allocated_is_reported(program, resource, fault, report):
    result = memcheck(program, resource, fault)
    assert result.returncode == ERRORS
    assert report in result.stderr


def test_an_overrun_is_reported_where_it_happens_before_the_guard_finds_it(program):
    result = memcheck(program, "guard_resource", "beyond")
    assert "Invalid write" in result.stderr
    assert "was overrun at byte 60" in result.stderr
