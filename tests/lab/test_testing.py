"""`./freehold test` runs every step, whatever becomes of it. CMake and ctest are stand-ins."""

import json
import re

import pytest

from fakes import program
from freehold_lab import folders, testing
from freehold_lab.errors import LabError


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A tree with the presets gcc and asan; what is called is noted in the file `calls`."""
    listed = [{"name": "base", "hidden": True}, {"name": "gcc"}, {"name": "asan"}]
    (tmp_path / "CMakePresets.json").write_text(json.dumps({"testPresets": listed}))
    monkeypatch.setattr(folders, "ROOT", tmp_path)
    monkeypatch.setattr(folders, "BUILD", tmp_path / "build")
    monkeypatch.setattr(folders, "PRESETS", tmp_path / "CMakePresets.json")
    monkeypatch.setattr(testing, "_test_python", lambda: note(tmp_path, "pytest") == 0)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for name in ("cmake", "ctest"):
        program(tmp_path, name, f'echo {name} "$@" >> {tmp_path}/calls')
    return tmp_path


def note(tree, line):
    with (tree / "calls").open("a") as calls:
        print(line, file=calls)
    return 0


def calls(tree):
    return (tree / "calls").read_text().splitlines()


def test_hidden_presets_are_not_run(tree):
    assert testing.presets() == ["gcc", "asan"]


def test_every_preset_is_configured_built_and_tested_and_python_comes_last(tree):
    assert testing.test([], "") == 0
    assert calls(tree) == [
        "cmake --preset gcc",
        "cmake --build --preset gcc",
        "ctest --preset gcc --no-tests=error",
        "cmake --preset asan",
        "cmake --build --preset asan",
        "ctest --preset asan --no-tests=error",
        "pytest",
    ]


def test_some_presets_are_run_only_by_name(tree, monkeypatch):
    monkeypatch.setattr(testing, "ONLY_BY_NAME", ("gcc",))
    testing.test([], "")
    assert not any("gcc" in call for call in calls(tree))
    testing.test(["gcc"], "")
    assert calls(tree)[-1] == "ctest --preset gcc --no-tests=error"


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
    testing.test([], "", long=True)
    assert were_run(old)[1:] == ["gcc", "asan", "old"]
    testing.test(["old"], "")
    assert were_run(old)[4:] == ["old"]


def test_the_packages_of_what_is_slow_are_needed_only_then(old):
    assert testing.needs([], long=False) == testing.needs(["gcc"], long=False) == ["test"]
    assert testing.needs([], long=True) == testing.needs(["gcc", "old"], long=False) == ["test", "test --long"]


@pytest.mark.parametrize(
    ("absent", "name", "reason"),
    [
        ("clang++-1", "asan", "there is no clang++-1 here (Debian 12 has it, later ones may not)"),
        ("build/debian/libc++-1", "asan", "there is no libc++-1 under build/debian"),
    ],
)
def test_without_its_compiler_a_slow_preset_is_skipped_with_one_line(old, capsys, absent, name, reason):
    (old / absent).rename(old / "away")
    assert testing.test([], "", long=True) == 0
    assert capsys.readouterr().err == f"freehold: {name} is skipped: {reason}\n"
    assert were_run(old) == ["gcc", "old"]
    with pytest.raises(LabError, match=f"^{re.escape(f'{name} cannot be tested: {reason}')}$"):
        testing.test([name], "")


def test_the_usual_compiler_is_not_tested_twice(old, capsys):
    (old / "g++-1").unlink()
    (old / "g++-1").symlink_to("g++")
    testing.test([], "", long=True)
    assert were_run(old) == ["gcc", "asan"]
    assert capsys.readouterr().err == "freehold: old is skipped: g++-1 is the g++ of the preset gcc\n"


def test_presets_can_be_chosen(tree):
    testing.test(["asan"], "")
    assert not any("gcc" in call or "pytest" in call for call in calls(tree))


def test_a_pattern_is_handed_to_ctest(tree):
    testing.test(["gcc"], "linked.*")
    assert calls(tree)[-1] == "ctest --preset gcc --no-tests=error --tests-regex linked.*"


def test_a_failing_build_stops_no_other_step(tree):
    program(tree, "cmake", 'test "$2" != gcc')
    assert testing.test([], "") == 1
    assert calls(tree) == ["ctest --preset asan --no-tests=error", "pytest"]


def test_a_failing_build_shows_what_it_printed(tree, capsys):
    program(tree, "cmake", "echo 'no such compiler'; false")
    testing.test(["gcc"], "")
    assert "no such compiler\n" in capsys.readouterr().out


def test_the_end_says_what_passed_and_what_failed(tree, capsys):
    program(tree, "ctest", 'test "$2" = gcc')
    testing.test([], "")
    assert capsys.readouterr().out.splitlines()[-3:] == ["gcc: passed", "asan: FAILED", "pytest: passed"]


def test_an_unknown_preset_is_told(tree):
    with pytest.raises(LabError, match="^there is no preset called msan[.] Did you mean asan[?] Known: gcc, asan$"):
        testing.check(["msan"])
