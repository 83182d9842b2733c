"""Stage two of the installation ends no command: it tells what it could not do."""

import threading
from dataclasses import replace

import pytest

from freehold_lab.errors import LabError
from freehold_lab.setup import debian, doctor, install

GROUPS = {
    "compile": debian.Group("to build", ["run", "test"], ["g++"], first=True),
    "count": debian.Group("to count", ["run"], ["valgrind"]),
    "peers": debian.Group("to compare", ["run"], ["libboost-dev", "ocaml"]),
    "check": debian.Group("to test", ["test"], ["libgtest-dev"]),
}


def names(groups):
    return [package for group in groups for package in group.packages]


@pytest.fixture
def installed(monkeypatch):
    """A Debian where nothing of the groups is installed; what is installed lands in the list."""
    packages = []
    monkeypatch.setattr(debian, "groups", lambda: GROUPS)
    monkeypatch.setattr(debian, "has_apt", lambda: True)
    monkeypatch.setattr(debian, "missing", lambda group: group)
    monkeypatch.setattr(debian, "install", lambda *groups: packages.extend(names(groups)))
    monkeypatch.setattr(install, "agreed", lambda plan: True)
    return packages


def test_a_command_gets_its_groups(installed):
    install.install("run")
    assert installed == ["g++", "valgrind", "libboost-dev", "ocaml"]


def test_two_commands_get_the_groups_of_both(installed):
    install.install("run", "test")
    assert installed == ["g++", "valgrind", "libboost-dev", "ocaml", "libgtest-dev"]


def test_a_group_can_be_left_out(installed):
    install.install("run", without=["count"])
    assert installed == ["g++", "libboost-dev", "ocaml"]


def test_packages_that_nobody_needs_are_left_out(installed):
    install.install("run", needless=["ocaml"])
    assert installed == ["g++", "valgrind", "libboost-dev"]


def test_all_that_comes_first_is_installed_at_once_and_then_all_others(installed, monkeypatch):
    calls = []
    monkeypatch.setattr(debian, "install", lambda *groups: calls.append(names(groups)))
    install.install("run")
    assert calls == [["g++"], ["valgrind", "libboost-dev", "ocaml"]]


def test_other_work_is_done_while_the_others_are_installed(installed, monkeypatch):
    building = threading.Event()

    def install_others_while_building(*groups):
        if GROUPS["compile"] not in groups:
            assert building.wait(timeout=60)
        installed.extend(names(groups))

    monkeypatch.setattr(debian, "install", install_others_while_building)
    install.install("run", meanwhile=lambda: (installed.append("building"), building.set()))
    assert installed == ["g++", "building", "valgrind", "libboost-dev", "ocaml"]


def test_no_other_work_is_done_where_nothing_is_installed_meanwhile(installed, monkeypatch):
    monkeypatch.setattr(debian, "missing", lambda group: replace(group, packages=group.packages if group.first else []))
    install.install("run", meanwhile=lambda: pytest.fail("there is nothing to wait for"))
    assert installed == ["g++"]


def test_nothing_is_asked_when_nothing_is_missing(installed, monkeypatch):
    monkeypatch.setattr(debian, "missing", lambda group: replace(group, packages=[]))
    monkeypatch.setattr(install, "agreed", lambda plan: pytest.fail("asked"))
    install.install("run")


def test_a_refusal_is_respected(installed, monkeypatch):
    monkeypatch.setattr(install, "agreed", lambda plan: False)
    install.install("run")
    assert installed == []


def test_a_group_that_fails_takes_no_other_with_it(installed, monkeypatch, capsys):
    def fail_for_valgrind(*groups):
        if GROUPS["count"] in groups:
            raise LabError(f"cannot install {' '.join(names(groups))}")
        installed.extend(names(groups))

    monkeypatch.setattr(debian, "install", fail_for_valgrind)
    install.install("run")
    assert installed == ["g++", "libboost-dev", "ocaml"]
    assert capsys.readouterr().err.splitlines()[-1] == "freehold: cannot install valgrind"


def test_without_apt_missing_packages_are_reported(installed, monkeypatch, capsys):
    monkeypatch.setattr(debian, "has_apt", lambda: False)
    found = [doctor.Tool("g++-12", "g++", "12.2.0", "/usr/bin/g++"), doctor.Tool("valgrind", "valgrind")]
    monkeypatch.setattr(doctor, "tools", lambda: found)
    install.install("run")
    assert capsys.readouterr().err.endswith("missing Debian packages: valgrind\n")
