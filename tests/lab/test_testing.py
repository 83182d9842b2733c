"""`./freehold test` runs every step, whatever becomes of it. What the steps call are stand-ins."""

import json
import os
import re

import pytest

from fakes import program
from freehold_lab import changes, checking, folders, testing, watch
from freehold_lab.errors import LabError
from freehold_lab.testing import Scope


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A tree with the presets gcc, the quickest, and asan; what is called is noted in the file `calls`."""
    listed = [{"name": "base", "hidden": True}, {"name": "gcc"}, {"name": "asan"}]
    (tmp_path / "CMakePresets.json").write_text(json.dumps({"testPresets": listed}))
    monkeypatch.setattr(testing, "QUICKEST", "gcc")
    monkeypatch.setattr(folders, "ROOT", tmp_path)
    monkeypatch.setattr(folders, "BUILD", tmp_path / "build")
    monkeypatch.setattr(folders, "PRESETS", tmp_path / "CMakePresets.json")
    monkeypatch.setattr(testing, "_test_python", lambda *chosen: note(tmp_path, "pytest") == 0)
    monkeypatch.setattr(checking, "check", lambda: note(tmp_path, "check") == 0)
    monkeypatch.setattr(watch, "holds", lambda: note(tmp_path, "watch") == 0)
    monkeypatch.setattr(changes, "remember", lambda: note(tmp_path, "remember"))
    for name in ("CMAKE_CXX_COMPILER_LAUNCHER", "CCACHE_SLOPPINESS", testing.FULL, testing.LONG):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for name in ("cmake", "ctest"):
        program(tmp_path, name, f'echo {name} "$@" >> {tmp_path}/calls')
    return tmp_path


@pytest.fixture
def full(tree, monkeypatch):
    """The same tree, in which another preset is the quickest, and is left out where all others are run."""
    listed = json.loads((tree / "CMakePresets.json").read_text())
    listed["testPresets"].append({"name": "quickest"})
    (tree / "CMakePresets.json").write_text(json.dumps(listed))
    monkeypatch.setattr(testing, "QUICKEST", "quickest")
    return tree


def note(tree, line):
    with (tree / "calls").open("a") as calls:
        print(line, file=calls)
    return 0


def calls(tree):
    return (tree / "calls").read_text().splitlines()


def test_hidden_presets_are_not_run(tree):
    assert testing.presets() == ["gcc", "asan"]


def test_every_test_runs_once_after_the_check(tree):
    assert testing.test([], "") == 0
    assert calls(tree) == [
        "check",
        "cmake --preset gcc",
        "cmake --build --preset gcc",
        "ctest --preset gcc --no-tests=error",
        "watch",
        "pytest",
        "remember",
    ]


def test_a_full_test_runs_every_preset_that_is_neither_slow_nor_the_quickest(full):
    assert testing.test([], "", Scope.FULL) == 0
    assert calls(full) == [
        "check",
        "cmake --preset gcc",
        "cmake --build --preset gcc",
        "ctest --preset gcc --no-tests=error",
        "cmake --preset asan",
        "cmake --build --preset asan",
        "ctest --preset asan --no-tests=error",
        "watch",
        "pytest",
        "remember",
    ]


@pytest.fixture
def old(tree):
    """A tree whose preset asan is slow, for it is of an old compiler; its libc++ is unpacked."""
    flags = "-isystem ${sourceDir}/build/debian/libc++-1/include"
    asan = {"name": "asan", "cacheVariables": {"FREEHOLD_CLANG": "clang++-1", "CMAKE_CXX_FLAGS": flags}}
    old = {"name": "old", "cacheVariables": {"CMAKE_CXX_COMPILER": "g++-1"}}
    listed = json.loads((tree / "CMakePresets.json").read_text())
    listed["testPresets"].append({"name": "old"})
    (tree / "CMakePresets.json").write_text(json.dumps(listed | {"configurePresets": [asan, old]}))
    for name in ("clang++-1", "g++-1", "g++"):
        program(tree, name)
    (tree / "build/debian/libc++-1").mkdir(parents=True)
    return tree


@pytest.fixture(autouse=True)
def long(monkeypatch, request):
    if "old" in request.fixturenames:
        monkeypatch.setattr(testing, "ONLY_LONG", ("asan", "old"))


def were_run(tree):
    return [call.split()[2] for call in calls(tree) if call.startswith("ctest")] if (tree / "calls").exists() else []


def test_what_is_slow_is_run_if_it_is_asked_for(old):
    testing.test([], "")
    assert were_run(old) == ["gcc"]
    testing.test([], "", Scope.LONG)
    assert were_run(old)[1:] == ["gcc", "asan", "old"]
    testing.test(["old"], "")
    assert were_run(old)[4:] == ["old"]


def test_the_packages_of_what_is_slow_are_needed_only_then(old):
    assert testing.needs([], Scope.ONCE) == testing.needs(["gcc"], Scope.ONCE) == ["test"]
    assert testing.needs([], Scope.FULL) == ["test", "test --full", "test --platforms"]
    assert testing.needs(["fast"], Scope.ONCE) == ["test", "test --full"]
    assert testing.needs([], Scope.LONG) == ["test", "test --full", "test --long", "test --platforms"]
    assert testing.needs(["gcc", "old"], Scope.ONCE) == ["test", "test --full", "test --long"]
    assert testing.needs(["armhf"], Scope.ONCE) == ["test", "test --platforms"]


@pytest.mark.parametrize(
    ("absent", "name", "reason"),
    [
        ("clang++-1", "asan", "there is no clang++-1 here (Debian 12 has it, later ones may not)"),
        ("build/debian/libc++-1", "asan", "there is no libc++-1 under build/debian"),
    ],
)
def test_without_its_compiler_a_slow_preset_is_skipped_with_one_line(old, capsys, absent, name, reason):
    (old / absent).rename(old / "away")
    assert testing.test([], "", Scope.LONG) == 0
    assert capsys.readouterr().err == f"freehold: {name} is skipped: {reason}\n"
    assert were_run(old) == ["gcc", "old"]
    with pytest.raises(LabError, match=f"^{re.escape(f'{name} cannot be tested: {reason}')}$"):
        testing.test([name], "")


def test_the_usual_compiler_is_not_tested_twice(old, capsys):
    (old / "g++-1").unlink()
    (old / "g++-1").symlink_to("g++")
    testing.test([], "", Scope.LONG)
    assert were_run(old) == ["gcc", "asan"]
    assert capsys.readouterr().err == "freehold: old is skipped: g++-1 is the g++ of gcc-optimized\n"


def test_a_slow_preset_of_the_usual_clang_is_never_skipped(old):
    _, old_gcc = json.loads((old / "CMakePresets.json").read_text())["configurePresets"]
    (old / "CMakePresets.json").write_text(
        json.dumps({"configurePresets": [{"name": "asan"}, old_gcc], "testPresets": [{"name": "asan"}]})
    )
    testing.test([], "", Scope.LONG)
    assert were_run(old) == ["asan"]


def test_presets_can_be_chosen(tree):
    testing.test(["asan"], "")
    assert not any("gcc" in call or "pytest" in call for call in calls(tree))


def test_a_pattern_is_handed_to_ctest(tree):
    testing.test(["gcc"], "linked.*")
    assert calls(tree)[-1] == "ctest --preset gcc --no-tests=error --tests-regex linked.*"


def test_a_failing_build_stops_no_other_step(full):
    program(full, "cmake", 'test "$2" != gcc')
    assert testing.test([], "", Scope.FULL) == 1
    assert calls(full) == ["check", "ctest --preset asan --no-tests=error", "watch", "pytest"]


def test_a_failing_build_shows_what_it_printed(tree, capsys):
    program(tree, "cmake", "echo 'no such compiler'; false")
    testing.test(["gcc"], "")
    assert "no such compiler\n" in capsys.readouterr().out


def without_times(lines):
    return [re.sub(r", [0-9.]+ s$", "", line) for line in lines]


def test_the_end_says_what_passed_what_failed_and_how_long_it_took(full, capsys):
    program(full, "ctest", 'test "$2" = gcc')
    testing.test([], "", Scope.FULL)
    lines = capsys.readouterr().out.splitlines()[-8:]
    assert lines != without_times(lines)
    assert without_times(lines) == [
        "check: passed",
        "gcc: build: passed",
        "gcc: tests: passed",
        "asan: build: passed",
        "asan: tests: FAILED",
        "watch: passed",
        "pytest: passed",
        lines[-1],
    ]
    assert lines[-1].startswith("all: ")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.34, "0.3 s"), (59.94, "59.9 s"), (60, "1 min 0 s"), (839, "13 min 59 s")]
)
def test_times_are_reported_in_minutes_and_seconds(seconds, text):
    assert testing._duration(seconds) == text


def test_ccache_is_used_where_it_is_installed_and_nothing_else_was_chosen(tree, monkeypatch):
    launcher = "CMAKE_CXX_COMPILER_LAUNCHER"
    monkeypatch.delenv(launcher)
    monkeypatch.setenv("PATH", str(tree))
    testing._use_ccache()
    assert launcher not in os.environ
    program(tree, "ccache")
    testing._use_ccache()
    assert os.environ[launcher] == "ccache"
    monkeypatch.setenv(launcher, "sccache")
    testing._use_ccache()
    assert os.environ[launcher] == "sccache"


def test_tests_are_told_the_scope(tree):
    program(tree, "ctest", f'echo "full=${testing.FULL} long=${testing.LONG}" >> {tree}/calls')
    for scope in Scope:
        testing.test(["gcc"], "", scope)
    assert [call for call in calls(tree) if call.startswith("full")] == ["full= long=", "full=1 long=", "full=1 long=1"]


def test_only_what_changes_reach_is_built_and_run(tree, monkeypatch):
    reached = changes.Reached(tests=["unit/a/b", "compile_fail/c.cpp"], targets=["unit_a"], python=["tests/test_d.py"])
    reached.watch = True
    monkeypatch.setattr(changes, "reached", lambda build: reached)
    (tree / "build/gcc").mkdir(parents=True)
    (tree / "build/gcc/build.ninja").touch()
    assert testing.test_changed() == 0
    assert calls(tree) == [
        "cmake --preset gcc",
        "cmake --build --preset gcc --target unit_a",
        "ctest --preset gcc --no-tests=error --tests-regex ^(unit/a/b|compile_fail/c[.]cpp)$",
        "watch",
        "pytest",
    ]


def test_an_unknown_preset_is_told(tree):
    with pytest.raises(LabError, match="^there is no preset called msan[.] Did you mean asan[?] Known: gcc, asan$"):
        testing.check(["msan"])
