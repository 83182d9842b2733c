"""What several tests compile: small programs, and the probes themselves, with every compiler that is found."""

import fcntl
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from freehold_lab import build, catalogue, cli, folders, testing
from freehold_lab.setup import environment
from freehold_lab.workloads import WITH_CODE

# Strategies whose probes are compiled as they are measured: what those execute is looked at, or they execute much.
OPTIMIZED = {
    *("raw", "shared_ptr", "local_thin_ptr", "intrusive_ptr", "cyclic_ptr", "traced_ptr", "uncounted_stack"),
    *("std_shared_ptr", "ocaml", "pool_resource", "concurrent_pool_resource", "new_delete", "atomic_shared_ptr"),
    "biased_shared_ptr",
}


@dataclass(frozen=True)
class Probes:
    """The probes of one compiler: the strategies of a quick run, those for this compiler alone, and with the first
    compiler all but most peers that only a whole run has. Building them takes a minute.

    All sources of a probe are compiled at once, which takes a third of the time. Of most probes only the results are
    compared, so they are not optimized; the object files of these come with them. The others have the options that they
    are measured with. With ./freehold test --long all of a quick run are compiled as they are measured."""

    compiler: str
    strategies: list[str]
    measured: set[str]
    measured_objects: set[str]
    folder: Path

    def executable(self, strategy: str) -> Path:
        if strategy not in self.strategies:
            pytest.skip(f"{strategy} is not built with {self.compiler} here")
        return self.folder / ("measured" if strategy in self.measured else "unoptimized") / f"probe_{strategy}"

    def object_file(self, strategy: str, folder: str = "code_size") -> Path:
        kind = "measured" if strategy in self.measured_objects else "unoptimized"
        return self.folder / kind / folder / f"{strategy}.o"

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
def probes(compiler, common_folder):
    entries = [entry for entry in catalogue.read() if _is_wanted(entry, compiler)]
    names = {entry.name for entry in entries}
    quick = {entry.name for entry in entries if entry.quick}
    found = Probes(
        compiler.name,
        [entry.name for entry in entries],
        measured=quick if os.environ.get(testing.LONG) else OPTIMIZED & names,
        measured_objects=(quick | {"dumb"}) & names,
        folder=common_folder / compiler.name,
    )
    # Whichever process of the tests comes second finds everything built.
    with found.folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for kind, flags in (("measured", compiler.flags), ("unoptimized", "-O0 -DNDEBUG")):
            unity = "OFF" if kind == "measured" and os.environ.get(testing.LONG) else "ON"
            options = [f"-DCMAKE_CXX_FLAGS_RELEASE={flags}", f"-DCMAKE_UNITY_BUILD={unity}"]
            _build(compiler, found, kind, entries, *options)
    return found


def _build(compiler, probes, kind, entries, *options):
    """Builds the probes and the object files of that kind."""
    folder = probes.folder / kind
    files = {f"probe_{entry.name}": probes.executable(entry.name) for entry in entries}
    for workload in WITH_CODE:
        name = workload.replace("-", "_")
        there = [entry.name for entry in entries if entry.takes_part([workload])]
        files |= {f"{name}_object_{strategy}": probes.object_file(strategy, name) for strategy in there}
    targets = [target for target, file in files.items() if folder in file.parents]
    options = [f"-DCMAKE_CXX_COMPILER={compiler.path}", *options, *build.strategy_options(entries)]
    configure = ["cmake", "-G", "Ninja", "-S", folders.PROBES, "-B", folder, *options]
    for command in (configure, ["cmake", "--build", folder, "--target", *targets]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def switch(tmp_path, capsys):
    """Writes a tree, switches it, and returns its files and the lines of the report. The headers of C++17 take half the
    time of those of C++20."""

    def run(files, outside=None, standard="-std=c++17"):
        tree = tmp_path / "tree"
        for folder, texts in ((tree, files), (tmp_path / "outside", outside or {})):
            folder.mkdir()
            for name, text in texts.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
        options = ["--", standard, f"-I{tmp_path / 'outside'}"]
        assert not cli.main(["switch", str(tree), "--write", "--force", *options])
        return {name: (tree / name).read_text() for name in files}, capsys.readouterr().out.splitlines()

    return run


@pytest.fixture(scope="session")
def built_site(common_folder):
    """Returns the folder of the site, built. Few tests need what builds it, so it is imported here."""
    from freehold_lab.site import build

    folder = common_folder / "site"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            assert build.build(folder) == folder / "index.html"
    return folder


@pytest.fixture(scope="session")
def common_folder(tmp_path_factory):
    """Returns a folder that all processes of this run of the tests have in common."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _is_wanted(entry, compiler):
    if entry.status == "planned" or not entry.built_with([compiler]) or not entry.is_here([compiler]):
        return False
    # Peers take long to build, and Rust's are the only ones that tests ask for beyond those of a quick run.
    ours = entry.family not in ("peers", "allocators") or (entry.needs == "rustc" and not entry.crate)
    if entry.family in ("traced", "uncounted") and entry.workloads == []:  # another's, with an option
        return bool(os.environ.get(testing.LONG))
    return entry.quick or bool(entry.compilers) or (ours and compiler == environment.compilers()[0])
