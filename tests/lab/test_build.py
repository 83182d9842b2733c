"""Building the probes, with a stand-in for CMake."""

import pytest
from rich.progress import Progress

from fakes import program
from freehold_lab import build, folders
from freehold_lab.catalogue import Entry
from freehold_lab.errors import LabError
from freehold_lab.model import Compiler

COMPILER = Compiler(name="g++-12", path="/usr/bin/g++-12", version="12.2.0", flags="-O3 -DNDEBUG")
ENTRIES = [
    Entry(name="raw", label="raw", family="baseline"),
    Entry(name="linked_ptr", label="linked", family="pointers"),
]
LIBCXX = Entry(name="pool", label="", family="allocators", compilers=["clang++"], options="-a -b", libraries="-lpool")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "LAB_BUILD", tmp_path / "lab")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program(tmp_path, "cmake", f'for each; do echo "$each" >> {tmp_path}/calls; done; echo "[3/4] building"')
    return tmp_path


def test_the_compiler_its_flags_and_the_strategies_are_handed_to_cmake(tree):
    build.build([COMPILER], ENTRIES, True, Progress())
    assert {
        "-DCMAKE_CXX_COMPILER=/usr/bin/g++-12",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG",
        "-DFREEHOLD_LAB_STRATEGIES=baseline/raw;pointers/linked_ptr",
    } <= set((tree / "calls").read_text().splitlines())


@pytest.mark.parametrize(("only_whole", "expected"), [(True, "ON"), (False, "OFF")])
def test_what_only_a_whole_run_measures_is_built_for_one(tree, only_whole, expected):
    build.build([COMPILER], ENTRIES, only_whole, Progress())
    assert f"-DFREEHOLD_LAB_ONLY_WHOLE={expected}" in (tree / "calls").read_text().splitlines()


def test_options_and_libraries_of_a_strategy_are_handed_to_cmake(tree):
    build.build([COMPILER.model_copy(update={"name": "clang++-19"})], [LIBCXX], True, Progress())
    assert {
        "-DFREEHOLD_LAB_STRATEGIES=allocators/pool",
        "-DFREEHOLD_LAB_OPTIONS_pool=-a -b",
        "-DFREEHOLD_LAB_LIBRARIES_pool=-lpool",
    } <= set((tree / "calls").read_text().splitlines())


def test_what_is_for_another_compiler_is_not_built(tree):
    build.build([COMPILER], [*ENTRIES, LIBCXX], True, Progress())
    assert "-DFREEHOLD_LAB_STRATEGIES=baseline/raw;pointers/linked_ptr" in (tree / "calls").read_text()


def test_the_steps_of_the_build_move_the_bar(tree):
    progress = Progress()
    build.build([COMPILER], ENTRIES, True, progress)
    assert progress.tasks[0].total == 4


def test_what_the_build_prints_is_kept(tree):
    build.build([COMPILER], ENTRIES, True, Progress())
    assert (tree / "lab/g++-12/build.log").read_text() == "[3/4] building\n" * 2


def test_compilers_build_at_the_same_time(tree):
    program(
        tree,
        "cmake",
        f"""
        : > {tree}/$$
        for _ in $(seq 600); do test $(ls {tree} | grep -c '^[0-9]*$') -ge 2 && exit; sleep 0.1; done
        exit 1""",
    )
    build.build([COMPILER, COMPILER.model_copy(update={"name": "g++-13"})], ENTRIES, True, Progress())


def test_all_compilers_together_have_the_jobs_of_one(tree, monkeypatch):
    machine = build.environment.machine().model_copy(update={"cores": 4})
    monkeypatch.setattr(build.environment, "machine", lambda: machine)
    program(tree, "cmake", f'echo "$@" >> {tree}/calls')  # a line each, as they run at the same time
    for compilers, jobs in (([COMPILER], "6"), ([COMPILER, COMPILER.model_copy(update={"name": "g++-13"})], "3")):
        build.build(compilers, ENTRIES, True, Progress())
        builds = [call.split()[-1] for call in (tree / "calls").read_text().splitlines() if "--build" in call]
        assert builds == [jobs] * len(compilers)
        (tree / "calls").unlink()


@pytest.mark.parametrize(
    "printed",
    [
        "raw.hpp:3:1: error: no type",
        "error[E0425]: no value",
        "raw.hpp:3:1: fatal error: no such file",
        "CMake Error at CMakeLists.txt:9:",
    ],
)
def test_the_first_error_is_reported(tree, printed):
    program(tree, "cmake", f"echo 'a warning'; echo '{printed}'; echo 'x.hpp:4:1: error: another'; exit 1")
    with pytest.raises(LabError) as raised:
        build.build([COMPILER], ENTRIES, True, Progress())
    assert str(raised.value) == f"g++-12 cannot build the probes: {printed} (all of it in {tree}/lab/g++-12/build.log)"


def test_a_failure_without_an_error_reports_the_last_line(tree):
    program(tree, "cmake", "echo 'one'; echo 'killed'; exit 1")
    with pytest.raises(LabError, match="cannot build the probes: killed "):
        build.build([COMPILER], ENTRIES, True, Progress())
