"""Compiles the programs of this folder as users compile them: Valgrind is not mentioned."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from freehold_lab.setup import environment

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"
ERRORS = 9  # the exit code that stands for errors which Valgrind has reported


@dataclass
class Build:
    """How the programs are compiled: not optimized, as for a debugger, or as what is delivered."""

    name: str
    options: list[str]

    @property
    def is_checked(self):
        return "-DNDEBUG" not in self.options


DEBUG = Build("debug", ["-O0"])
RELEASE = Build("release", ["-O2", "-DNDEBUG"])
TOLD = Build("told", ["-O2", "-DNDEBUG", "-DFREEHOLD_VALGRIND"])
# Each compiler in one way and each way with one compiler: what is tested is not the compilers.
COMPILERS = environment.compilers()
BUILDS = [(COMPILERS[0], DEBUG), (COMPILERS[-1], RELEASE)]


@dataclass
class Outcome:
    """How one case ended, and what Valgrind said about it."""

    returncode: int
    report: str


class Programs:
    """The programs of this folder, each compiled once, and its cases run once."""

    def __init__(self, compiler, build, folder):
        self.compiler, self.build, self.folder = compiler, build, folder
        self.outcomes = {}

    def executable(self, name):
        output = self.folder / name
        if not output.exists():
            # Valgrind of Debian 12 does not read all of DWARF 5.
            options = ["-std=c++20", "-gdwarf-4", *self.build.options, "-pthread", f"-I{INCLUDE}"]
            subprocess.run([self.compiler.path, *options, HERE / f"{name}.cpp", "-o", output], check=True)
        return output

    def run(self, name, cases):
        """Returns the outcome of each case, of which each has a process and a report of its own."""
        if name not in self.outcomes:
            self.outcomes[name] = _run_cases(self.executable(name), cases)
        return self.outcomes[name]


def _run_cases(program, cases):
    reports = program.with_suffix(".reports")
    reports.mkdir()
    done = run(program, *cases, options=[f"--log-file={reports}/%p"])
    assert done.returncode == 0, done.stderr
    ended = re.findall(r"^case (\S+) (\d+) (-?\d+)$", done.stdout, re.MULTILINE)
    assert [case for case, *_ in ended] == cases
    outcomes = {case: Outcome(int(code), (reports / child).read_text()) for case, child, code in ended}
    # Also of what a case has forked itself.
    others = [report for report in reports.iterdir() if report.name not in {child for _, child, _ in ended}]
    assert not "".join(report.read_text() for report in others)
    return outcomes


@pytest.fixture(scope="session", params=BUILDS, ids=lambda each: f"{each[0].name}-{each[1].name}")
def compiled(request, tmp_path_factory):
    compiler, build = request.param
    return Programs(compiler, build, tmp_path_factory.mktemp(build.name))


@pytest.fixture(scope="session")
def build(compiled):
    return compiled.build


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """Programs that want all of their frees to be told, though checks are off."""
    return Programs(COMPILERS[0], TOLD, tmp_path_factory.mktemp(TOLD.name))


def run(program, *arguments, tool="memcheck", options=()):
    options = ["--quiet", f"--tool={tool}", *options]
    if tool == "memcheck":
        options += ["--leak-check=full", f"--error-exitcode={ERRORS}"]
    command = ["valgrind", *options, program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=program.parent)
