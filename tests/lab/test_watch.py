"""The watch: what is told of figures that differ from those on record, and when they are not compared."""

import pytest

from freehold_lab import folders, watch
from freehold_lab.measure import watched
from freehold_lab.model import Compiler
from freehold_lab.setup import environment

MADE_WITH = "g++ 12.2.0, libstdc++ 20220819, glibc 2.36, x86_64"
KINDS = {
    "instructions": {"copy, destroy": {"alone": 23.0, "threaded": 23.0, "threaded_locked": 2.0}},
    "headers": {"freehold/freehold.hpp": {"lines": 98769.0, "standard_headers": 62.0}},
    "resident": {"phases: all freed": {"KiB": 18480.0}},
}


def changed(kind, row, **figures):
    """KINDS with other figures in one row; the row is new if there was none."""
    return KINDS | {kind: KINDS[kind] | {row: KINDS[kind].get(row, {}) | figures}}


@pytest.fixture
def watching(monkeypatch, tmp_path):
    """Has the first of two records be on a machine with one compiler, and returns what sets its figures."""
    folder = tmp_path / "tests" / "watch"
    folder.mkdir(parents=True)
    monkeypatch.setattr(folders, "ROOT", tmp_path)
    monkeypatch.setattr(folders, "WATCH", folder)
    compiler = Compiler(name="g++-12", path="g++", version="12.2.0", flags="")
    monkeypatch.setattr(environment, "compilers", lambda: [compiler])
    monkeypatch.setattr(environment, "has_program", lambda name: True)
    monkeypatch.setattr(watched, "made_with", lambda compiler: MADE_WITH)
    watch.write(folder / "g++.toml", MADE_WITH, KINDS)

    def measuring(kinds):
        monkeypatch.setattr(watched, "measure", lambda compilers: {each.name: kinds for each in compilers})

    return measuring


def told(capsys):
    return [line for line in capsys.readouterr().out.splitlines() if line.startswith("g++-12: ")]


def test_what_is_as_on_record_is_not_told(watching, capsys):
    watching(KINDS)
    assert watch.holds()
    assert told(capsys) == []


@pytest.mark.parametrize(
    ("kinds", "line"),
    [
        (changed("instructions", "copy, destroy", alone=24.0), "copy, destroy: alone 23 before, 24 now"),
        (changed("instructions", "copy, destroy", alone_locked=1.0), "copy, destroy: alone locked 0 before, 1 now"),
        (
            changed("headers", "freehold/freehold.hpp", standard_headers=63.0),
            "freehold/freehold.hpp: standard headers 62 before, 63 now",
        ),
        (
            changed("headers", "freehold/freehold.hpp", lines=100000.0),
            "freehold/freehold.hpp: lines 98,769 before, 100,000 now",
        ),
        (changed("resident", "phases: all freed", KiB=18500.0), "phases: all freed: KiB 18,480 before, 18,500 now"),
        (changed("instructions", "copy", alone=1.0), "copy: new, and not on record"),
        (KINDS | {"resident": {}}, "phases: all freed: on record, and no longer measured"),
    ],
)
def test_what_is_worse_fails_in_one_line_with_the_command(watching, capsys, kinds, line):
    watching(kinds)
    assert not watch.holds()
    assert told(capsys) == [f"g++-12: {line}: WORSE (./freehold watch --renew if that is meant)"]


def test_what_is_better_is_told_and_passes(watching, capsys):
    watching(changed("instructions", "copy, destroy", threaded_locked=0.0))
    assert watch.holds()
    line = "copy, destroy: threaded locked 2 before, 0 now: better (./freehold watch --renew)"
    assert told(capsys) == [f"g++-12: {line}"]


@pytest.mark.parametrize(
    "kinds",
    [
        *(changed("resident", "phases: all freed", KiB=size) for size in (18464.0, 18496.0)),
        *(changed("headers", "freehold/freehold.hpp", lines=lines) for lines in (98000.0, 99000.0)),
    ],
)
def test_some_pages_or_lines_more_or_less_are_neither(watching, capsys, kinds):
    watching(kinds)
    assert watch.holds()
    assert told(capsys) == []


def test_another_compiler_is_told_which_is_wanted(watching, capsys, monkeypatch):
    watching(changed("instructions", "copy, destroy", alone=24.0))
    monkeypatch.setattr(watched, "made_with", lambda compiler: "g++ 14.2.0, libstdc++ 1, glibc 2.41, x86_64")
    assert watch.holds()
    captured = capsys.readouterr()
    assert f"the watch of g++ is skipped: it wants {MADE_WITH}; here is g++ 14.2.0" in captured.err
    assert "there is no tests/watch/clang++.toml" in captured.err
    assert "before" not in captured.out


def test_without_the_compiler_it_is_told_which_is_wanted(watching, capsys, monkeypatch):
    watching(KINDS)
    monkeypatch.setattr(environment, "compilers", list)
    assert watch.holds()
    assert f"it wants {MADE_WITH}; here is no g++" in capsys.readouterr().err


def test_without_valgrind_it_is_skipped(watching, capsys, monkeypatch):
    monkeypatch.setattr(environment, "has_program", lambda name: False)
    assert watch.holds()
    assert "the watch is skipped: valgrind is missing" in capsys.readouterr().err


def test_a_record_is_renewed_but_for_what_the_tolerance_allows(watching, capsys):
    now = changed("instructions", "copy, destroy", alone=24.0) | {"resident": {"phases: all freed": {"KiB": 18484.0}}}
    watching(now)
    assert watch.show(renew=False) == 1
    assert watch.show(renew=True) == 0
    assert "tests/watch/g++.toml is written" in capsys.readouterr().out
    _, kinds = watch.read(folders.WATCH / "g++.toml")
    assert kinds["instructions"]["copy, destroy"]["alone"] == 24
    assert kinds["resident"] == KINDS["resident"]
    assert watch.show(renew=False) == 0


def test_a_file_that_is_no_record_is_one_line(watching, capsys):
    (folders.WATCH / "g++.toml").write_text("no record")
    with pytest.raises(watch.LabError, match=r"is no record .*--renew"):
        watch.holds()


def test_an_operation_is_counted_without_what_surrounds_it(monkeypatch, tmp_path):
    """Whatever is in the environment, whose strings are on the stack."""
    compiler = environment.compilers()[0]
    monkeypatch.setattr(folders, "BUILD", tmp_path / "build")
    source = folders.WATCH / "instructions" / "queens.cpp"
    counted = watched._instructions(compiler, source)
    monkeypatch.setenv("OF_ANY_LENGTH", "x" * 5001)
    assert watched._instructions(compiler, source) == counted
    (row,) = counted.values()
    assert row["alone_locked"] == 0 < row["threaded_locked"]
