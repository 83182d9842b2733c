"""Compiles the programs of this folder as users compile them: Valgrind is not mentioned."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from freehold_lab import environment

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"
ERRORS = 9  # the exit code that stands for errors which Valgrind has reported


@dataclass
class Build:
    """How the programs are compiled: not optimised, as for a debugger, or as what is delivered."""

    name: str
    options: list[str]

    @property
    def is_checked(self):
        return "-DNDEBUG" not in self.options


BUILDS = [Build("debug", ["-O0"]), Build("release", ["-O2", "-DNDEBUG"])]


@pytest.fixture(scope="session", params=BUILDS, ids=lambda build: build.name)
def build(request):
    return request.param


@pytest.fixture(scope="session", params=environment.compilers(), ids=lambda compiler: compiler.name)
def compiled(request, build, tmp_path_factory):
    """Returns a function that compiles a program of this folder, once."""
    folder = tmp_path_factory.mktemp(f"{request.param.name}-{build.name}")

    def compile_once(name):
        output = folder / name
        if not output.exists():
            options = ["-std=c++20", "-gdwarf-4", *build.options, "-pthread", f"-I{INCLUDE}"]
            subprocess.run([request.param.path, *options, HERE / f"{name}.cpp", "-o", output], check=True)
        return output

    return compile_once


def run(program, *arguments, tool="memcheck"):
    options = ["--quiet", f"--tool={tool}"]
    if tool == "memcheck":
        options += ["--leak-check=full", f"--error-exitcode={ERRORS}"]
    command = ["valgrind", *options, program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=program.parent)
