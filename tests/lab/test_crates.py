"""The sources that come as crates: fetched once, and done without where they cannot be had."""

import pytest

from fakes import program
from freehold_lab import catalogue
from freehold_lab.setup import crates


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without cargo, which has none of the sources."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(crates, "FOLDER", tmp_path / "build" / "crates")
    monkeypatch.setattr(crates, "agreed", lambda plan: True)
    return tmp_path


def entry(name="mimalloc_3"):
    (found,) = (each for each in catalogue.read() if each.name == name)
    return found


def fetch(capsys):
    """Fetches, and returns what the user is told in the end."""
    crates.fetch()
    return capsys.readouterr().err.splitlines()[-1]


def test_the_sources_are_fetched_once(machine):
    program(machine, "cargo", f'echo "$@" >> {machine}/asked; for last; do :; done; mkdir -p "$last"')
    (machine / "mkdir").symlink_to("/bin/mkdir")
    assert not entry().is_here([])
    crates.fetch()
    crates.fetch()
    assert entry().is_here([])
    (asked,) = (machine / "asked").read_text().splitlines()
    assert asked.startswith(f"vendor --locked --versioned-dirs --manifest-path {crates.MANIFEST} ")


def test_without_cargo_one_line_says_what_to_install(machine, capsys):
    assert fetch(capsys).endswith("are not measured: install cargo")
    assert not entry().is_here([])


def test_what_cargo_cannot_fetch_is_told_in_a_line(machine, capsys):
    program(machine, "cargo", "echo warning: slow >&2; echo error: no network >&2; echo Caused by >&2; exit 101")
    assert fetch(capsys).endswith("are not measured: error: no network")
    assert not entry().is_here([])


def test_a_network_that_does_not_answer_is_not_waited_for(machine, monkeypatch, capsys):
    program(machine, "cargo", "exec /bin/sleep 60")
    monkeypatch.setattr(crates, "PATIENCE", 0.1)
    assert fetch(capsys).endswith("no answer within 0.1 seconds")


def test_a_refusal_is_respected(machine, monkeypatch):
    program(machine, "cargo", f"echo asked > {machine}/asked")
    monkeypatch.setattr(crates, "agreed", lambda plan: False)
    crates.fetch()
    assert not (machine / "asked").exists()


def test_a_crate_in_rust_is_built_by_cargo(machine):
    crates.FOLDER.mkdir(parents=True)
    program(machine, "rustc", "echo 1.63.0")
    swapped = entry("rust_arc_swap")
    assert not swapped.is_here([])
    assert swapped.needed() == {"rustc", "cargo"}
    program(machine, "cargo", "echo 1.63.0")
    assert swapped.is_here([])
