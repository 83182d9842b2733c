"""Debian's packages, on a machine whose apt-get and dpkg-query are stand-ins."""

import os
from dataclasses import replace

import pytest

from fakes import program
from freehold_lab import catalogue, folders, run
from freehold_lab.errors import LabError
from freehold_lab.setup import debian

GROUP = debian.Group(purpose="to build", commands=["run"], packages=["g++", "cmake"])


UNPACKED = replace(GROUP, packages=["libc++-16-dev"], unpacked="libc++-16")


@pytest.fixture
def unpacking(machine, monkeypatch):
    """A machine whose apt-get leaves a package in the current folder, and whose dpkg-deb makes a folder of it."""
    monkeypatch.setattr(folders, "BUILD", machine / "build")
    program(machine, "apt-get", 'case "$*" in *download*) : > package.deb;; esac')
    program(machine, "dpkg-deb", 'test "$2" = "$3/package.deb" && /bin/mkdir "$3/usr"')
    return machine


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A folder that is the whole PATH but for env; apt-get notes its command line in the file apt-get.log."""
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path, "env", 'while case $1 in *=*) ;; *) false;; esac; do shift; done; exec "$@"')
    program(tmp_path, "apt-get", f'echo "$@" >> {tmp_path}/apt-get.log')
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("FREEHOLD_APT_UPDATED", "")
    monkeypatch.delenv("FREEHOLD_APT_UPDATED")
    return tmp_path


def calls(machine):
    return (machine / "apt-get.log").read_text().splitlines()


def test_every_group_says_what_it_is_for():
    assert all(group.purpose and group.packages for group in debian.groups().values())


def test_a_whole_run_installs_all_that_a_strategy_needs_and_a_quick_one_only_what_it_measures():
    installed = {name for group in debian.groups().values() if "run" in group.commands for name in group.packages}
    entries = catalogue.read()
    needed = set().union(*(each.needed() for each in entries)) - {""}
    assert needed <= installed
    assert {"rustc", "cargo", "default-jdk-headless", "libc++-19-dev"} <= run.needless(run.Request(quick=True))


def test_what_dpkg_knows_as_installed_is_not_missing(machine):
    program(machine, "dpkg-query", "echo 'g++ installed'; echo 'cmake config-files'; exit 1")
    assert debian.missing(GROUP).packages == ["cmake"]


def test_without_dpkg_there_is_no_apt(machine):
    assert not debian.has_apt()


def test_the_lists_are_fetched_once_and_first(machine):
    debian.install(GROUP)
    debian.install(GROUP)
    assert ["update" in call for call in calls(machine)] == [True, False, False]


def test_several_groups_are_installed_at_once(machine):
    debian.install(GROUP, debian.Group(purpose="to count", commands=["run"], packages=["valgrind"]))
    assert calls(machine)[-1].endswith("install --yes --no-install-recommends g++ cmake valgrind")


def test_apt_is_left_alone_when_there_is_nothing_to_install(machine):
    debian.install()
    assert not (machine / "apt-get.log").exists()


def test_what_cannot_stand_beside_others_is_unpacked(unpacking):
    assert debian.missing(UNPACKED).packages == UNPACKED.packages
    debian.install(UNPACKED)
    assert debian.missing(UNPACKED).packages == []
    assert os.listdir(unpacking / "build/debian/libc++-16") == ["usr"]


def test_what_is_unpacked_in_part_is_still_missing(unpacking):
    program(unpacking, "dpkg-deb", "echo 'dpkg-deb: error: no space left' >&2; exit 2")
    with pytest.raises(LabError, match="no space left$"):
        debian.install(UNPACKED)
    assert debian.missing(UNPACKED).packages == UNPACKED.packages


def test_nothing_more_than_asked_for_is_installed(machine):
    debian.install(GROUP)
    assert calls(machine)[1].endswith("install --yes --no-install-recommends g++ cmake")


def test_the_last_line_of_a_failure_is_reported(machine):
    program(machine, "apt-get", "echo 'a warning' >&2; echo 'E: Unable to locate package cmake' >&2; exit 100")
    with pytest.raises(LabError, match=r"^cannot install g\+\+ cmake \(to build\): E: Unable to locate package cmake$"):
        debian.install(GROUP)


def test_a_user_needs_sudo(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(LabError, match="^sudo is missing: as root, run apt-get "):
        debian.install(GROUP)


def test_a_user_installs_by_sudo(machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    program(machine, "sudo", f'echo sudo >> {machine}/apt-get.log; exec "$@"')
    debian.install(GROUP)
    assert calls(machine)[0] == "sudo"
