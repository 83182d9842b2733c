"""What several tests compile: small programs, and the probes themselves, with every compiler that is found."""

import fcntl
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from freehold_lab import build, catalogue, folders
from freehold_lab.setup import environment
from freehold_lab.workloads import WITH_CODE


@dataclass(frozen=True)
class Probes:
    """The probes of one compiler: the strategies of a quick run, those for this compiler alone, and with the first
    compiler all but most peers that only a whole run has. Building them takes minutes.

    Those of a quick run and all object files are compiled as they are measured. Of the other probes only the results
    are compared, so they are not optimized, which halves what they take to compile."""

    compiler: str
    strategies: list[str]
    quick: set[str]
    folder: Path

    def executable(self, strategy: str) -> Path:
        if strategy not in self.strategies:
            pytest.skip(f"{strategy} is not built with {self.compiler} here")
        return self.folder / ("measured" if strategy in self.quick else "unoptimized") / f"probe_{strategy}"

    def object_file(self, strategy: str, folder: str = "code_size") -> Path:
        return self.folder / "measured" / folder / f"{strategy}.o"

    def taking_part(self, workload: str) -> list[str]:
        entries = [entry for entry in catalogue.read() if entry.name in self.strategies]
        return [entry.name for entry in entries if entry.takes_part([workload])]


@pytest.fixture(scope="session", params=environment.compilers(), ids=lambda compiler: compiler.name)
def compiler(request):
    return request.param


@pytest.fixture
def compile_file(compiler, tmp_path):
    """Compiles one source text. What it is, its suffix tells; with the option -c it becomes an object file."""

    def compile_text(text, *options, suffix=".cpp"):
        source = tmp_path / f"source{suffix}"
        source.write_text(text)
        output = tmp_path / "output"
        subprocess.run([compiler.path, "-O2", *options, source, "-o", output], check=True)
        return output

    return compile_text


@pytest.fixture(scope="session")
def probes(compiler, tmp_path_factory):
    entries = [entry for entry in catalogue.read() if _is_wanted(entry, compiler)]
    others = [entry for entry in entries if not entry.quick]
    objects = [
        f"{workload.replace('-', '_')}_object_{entry.name}"
        for workload in WITH_CODE
        for entry in entries
        if entry.takes_part([workload])
    ]
    folder = _common_folder(tmp_path_factory) / compiler.name
    # Whichever process of the tests comes second finds everything built.
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        measured = [f"probe_{entry.name}" for entry in entries if entry.quick]
        _build(compiler, folder / "measured", entries, compiler.flags, [*measured, *objects])
        if others:
            unoptimized = [f"probe_{entry.name}" for entry in others]
            _build(compiler, folder / "unoptimized", others, "-O0 -DNDEBUG", unoptimized)
    names = [entry.name for entry in entries]
    return Probes(compiler.name, names, set(names) - {entry.name for entry in others}, folder)


def _build(compiler, folder, entries, flags, targets):
    options = [f"-DCMAKE_CXX_COMPILER={compiler.path}", f"-DCMAKE_CXX_FLAGS_RELEASE={flags}"]
    configure = ["cmake", "-G", "Ninja", "-S", folders.PROBES, "-B", folder, *options, *build.strategy_options(entries)]
    for command in (configure, ["cmake", "--build", folder, "--target", *targets]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def _common_folder(tmp_path_factory):
    """Returns a folder that all processes of this run of the tests have in common."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _is_wanted(entry, compiler):
    if entry.status == "planned" or not entry.built_with([compiler]) or not entry.is_here([compiler]):
        return False
    # Peers take long to build, and Rust's are the only ones that tests ask for beyond those of a quick run.
    ours = entry.family not in ("peers", "allocators") or entry.needs == "rustc"
    return entry.quick or bool(entry.compilers) or (ours and compiler == environment.compilers()[0])
