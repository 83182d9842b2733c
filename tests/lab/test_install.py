"""Stage two of the installation ends no command: it tells what it could not do."""

import pytest

from freehold_lab import debian, install, tools
from freehold_lab.errors import LabError

GROUPS = {
    "compile": debian.Group("to build", ["run", "test"], ["g++"]),
    "count": debian.Group("to count", ["run"], ["valgrind"]),
    "check": debian.Group("to test", ["test"], ["libgtest-dev"]),
}


@pytest.fixture
def installed(monkeypatch):
    """A Debian where nothing of the groups is installed; what is installed lands in the list."""
    packages = []
    monkeypatch.setattr(debian, "groups", lambda: GROUPS)
    monkeypatch.setattr(debian, "has_apt", lambda: True)
    monkeypatch.setattr(debian, "missing", lambda group: group)
    monkeypatch.setattr(debian, "install", lambda group: packages.extend(group.packages))
    monkeypatch.setattr(install, "agreed", lambda plan: True)
    return packages


def test_a_command_gets_its_groups(installed):
    install.install("run")
    assert installed == ["g++", "valgrind"]


def test_a_group_can_be_left_out(installed):
    install.install("run", without=["count"])
    assert installed == ["g++"]


def test_nothing_is_asked_when_nothing_is_missing(installed, monkeypatch):
    monkeypatch.setattr(debian, "missing", lambda group: debian.Group(group.purpose, group.commands, []))
    monkeypatch.setattr(install, "agreed", lambda plan: pytest.fail("asked"))
    install.install("run")


def test_a_refusal_is_respected(installed, monkeypatch):
    monkeypatch.setattr(install, "agreed", lambda plan: False)
    install.install("run")
    assert installed == []


def test_a_group_that_fails_takes_no_other_with_it(installed, monkeypatch, capsys):
    def fail_for_the_compiler(group):
        if group is GROUPS["compile"]:
            raise LabError("cannot install g++")
        installed.extend(group.packages)

    monkeypatch.setattr(debian, "install", fail_for_the_compiler)
    install.install("run")
    assert installed == ["valgrind"]
    assert "freehold: cannot install g++\n" in capsys.readouterr().err


def test_without_apt_what_is_missing_is_told(installed, monkeypatch, capsys):
    monkeypatch.setattr(debian, "has_apt", lambda: False)
    found = [tools.Tool("g++-12", "g++", "12.2.0", "/usr/bin/g++"), tools.Tool("valgrind", "valgrind")]
    monkeypatch.setattr(tools, "tools", lambda: found)
    install.install("run")
    assert capsys.readouterr().err.endswith("missing (by Debian's names): valgrind\n")
