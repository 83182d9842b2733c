"""Compiles the programs of this folder as users compile them, and asks debuggers about them, once each."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from freehold_lab import testing
from freehold_lab.model import Compiler
from freehold_lab.setup import environment

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"
COMPILERS = environment.compilers()
DEBUG = ["-O0"]
RELEASE = ["-O2", "-DNDEBUG"]
TIMEOUT = 300


@dataclass
class Build:
    compiler: Compiler
    options: list[str]

    def __str__(self):
        return f"{self.compiler.name}{self.options[0]}"

    @property
    def is_checked(self):
        return self.options is DEBUG

    def compile(self, source, folder):
        program = folder / source.stem
        options = ["-std=c++20", "-g", "-pthread", *self.options, f"-I{INCLUDE}"]
        subprocess.run([self.compiler.path, *options, source, "-o", program], check=True, timeout=TIMEOUT)
        return program


BUILDS = [Build(compiler, options) for compiler in COMPILERS for options in (DEBUG, RELEASE)]


def required(tool, package):
    path = shutil.which(tool)
    if not path:
        pytest.skip(f"there is no {tool} (Debian's package {package} has it)")
    return path


@pytest.fixture(scope="session", params=BUILDS, ids=str)
def build(request):
    if request.param is not BUILDS[0] and not os.environ.get(testing.FULL):
        pytest.skip("only with ./freehold test --full")
    return request.param


@pytest.fixture(scope="session")
def owners(build, tmp_path_factory):
    return build.compile(HERE / "owners.cpp", tmp_path_factory.mktemp("owners"))


def gdb(*commands, program):
    """Returns what gdb prints, after the one line of settings that `./freehold debugger` prints."""
    tool = required("gdb", "gdb")
    allowed = ["-iex", f"add-auto-load-safe-path {program.parent}"]
    options = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run(
        [tool, "-q", "-nx", "-batch", *allowed, *options, program], capture_output=True, text=True, timeout=TIMEOUT
    )
    return done.stdout


def answers(printed):
    line = next(line for line in printed.splitlines() if line.startswith("answers: "))
    return json.loads(line.removeprefix("answers: "))
