"""./freehold itself, before there is a Python environment."""

import sys
import threading
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from freehold_lab import folders
from freehold_lab.errors import LabError
from freehold_lab.setup import debian

GROUPS = {
    "python": debian.Group("for itself", [], ["python3-venv"]),
    "compile": debian.Group("to build", ["run", "test"], ["g++"], first=True),
    "count": debian.Group("to count", ["run"], ["valgrind"], first=True),
    "peers": debian.Group("to compare", ["run"], ["libboost-dev"]),
}


@pytest.fixture
def freehold(monkeypatch, tmp_path):
    """The script on a Debian where nothing is installed; what is installed lands in its list `installed`."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = SourceFileLoader("freehold_script", str(folders.ROOT / "freehold"))
    script = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(script)
    script.installed = []
    monkeypatch.setattr(debian, "groups", lambda: GROUPS)
    monkeypatch.setattr(debian, "has_apt", lambda: True)
    monkeypatch.setattr(debian, "missing", lambda group: group)
    monkeypatch.setattr(
        debian, "install", lambda *groups: script.installed.extend(name for each in groups for name in each.packages)
    )
    monkeypatch.setattr(script, "agreed", lambda plan: True)
    monkeypatch.setattr(script.importlib.util, "find_spec", lambda name: None)
    script.really_make_environment = script.make_environment
    monkeypatch.setattr(script, "make_environment", lambda sets: None)
    return script


@pytest.mark.parametrize(
    ("arguments", "packages"),
    [
        (["run", "--quick"], ["python3-venv", "g++", "valgrind"]),
        (["run", "--no-count"], ["python3-venv", "g++"]),
        (["test"], ["python3-venv", "g++"]),
        (["doctor"], ["python3-venv"]),
        ([], ["python3-venv"]),
    ],
)
def test_a_command_gets_what_it_needs_first_besides_python(freehold, arguments, packages):
    freehold.make([], arguments)
    assert freehold.installed == packages


def test_packages_of_python_and_of_debian_are_installed_at_the_same_time(freehold, monkeypatch):
    both = threading.Barrier(2, timeout=60)
    monkeypatch.setattr(freehold, "make_environment", lambda sets: both.wait())
    monkeypatch.setattr(debian, "install", lambda *groups: GROUPS["compile"] in groups and both.wait())
    freehold.make([], ["run"])


def test_a_package_that_two_sets_need_is_installed_once(freehold, monkeypatch, tmp_path):
    (tmp_path / "lab.txt").write_text("# needed by: every command\na==1\nb==1\n")
    (tmp_path / "docs.txt").write_text("# needed by: docs\nb==1\n")
    installed = []
    monkeypatch.setattr(
        freehold, "run", lambda *command: installed.extend(word for word in command if "==" in str(word))
    )
    monkeypatch.setattr(freehold, "STAMP", tmp_path / "made-from")
    freehold.really_make_environment([freehold.Set(tmp_path / name) for name in ("lab.txt", "docs.txt")])
    assert sorted(installed) == ["a==1", "b==1"]


def test_the_check_installs_all_that_a_module_imports(freehold):
    # Else mypy finds what an earlier command happened to install.
    sets = map(freehold.Set, sorted(freehold.REQUIREMENTS.glob("*.txt")))
    # No module imports what these have: tools, and headers.
    assert [each.name for each in sets if not each.is_needed(["check"])] == ["packaging", "platforms", "recipes"]


def test_without_an_environment_there_is_nothing(freehold, monkeypatch):
    def fail(sets):
        raise LabError("pip failed: no network")

    monkeypatch.setattr(freehold, "make_environment", fail)
    with pytest.raises(LabError, match="^pip failed: no network$"):
        freehold.make([], ["run"])


def test_what_apt_cannot_install_is_left_to_stage_two(freehold, monkeypatch):
    def fail(*groups):
        if GROUPS["compile"] in groups:
            raise LabError("cannot install g++")

    monkeypatch.setattr(debian, "install", fail)
    freehold.make([], ["run"])
