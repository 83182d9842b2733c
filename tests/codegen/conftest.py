"""Compiles the programs of this folder as users compile them, and counts what they execute."""

import subprocess
from pathlib import Path

import pytest

from freehold_lab.measure import callgrind
from freehold_lab.setup import environment

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"


@pytest.fixture(params=environment.compilers(), ids=lambda compiler: compiler.name)
def compiler(request):
    return request.param


@pytest.fixture(scope="session", params=environment.compilers(), ids=lambda compiler: compiler.name)
def program(request, tmp_path_factory):
    output = tmp_path_factory.mktemp(request.param.name) / "operations"
    options = ["-std=c++20", "-O3", "-DNDEBUG", "-pthread", f"-I{INCLUDE}"]
    subprocess.run([request.param.path, *options, HERE / "operations.cpp", "-o", output], check=True)
    return output


def executed(program, *arguments):
    text, dumps = callgrind.run([str(program), *arguments], program.name)
    return dict(zip(text.splitlines(), dumps, strict=True))


@pytest.fixture(scope="session")
def alone(program):
    """What each operation executes in a process that never started a thread."""
    return executed(program)


@pytest.fixture(scope="session")
def threaded(program):
    """What each operation executes in a process with a second thread."""
    return executed(program, "threaded")
