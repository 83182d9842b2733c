"""`./freehold test` runs every step, whatever becomes of it. CMake and ctest are stand-ins."""

import json

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
