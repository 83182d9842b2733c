"""What is found on a machine, which here is a folder of stand-ins."""

from pathlib import Path

import pytest

from fakes import compiler, program
from freehold_lab.errors import LabError
from freehold_lab.setup import environment


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def names():
    return [each.name for each in environment.compilers()]


def test_the_newest_of_each_family_is_taken(machine):
    compiler(machine, "g++", "12.2.0")
    compiler(machine, "g++-13", "13.1.0")
    compiler(machine, "clang++-9", "9.0.1", clang=True)
    compiler(machine, "clang++-16", "16.0.6", clang=True)
    assert names() == ["g++-13", "clang++-16"]


def test_versions_are_compared_as_numbers(machine):
    compiler(machine, "g++", "12.10.0")
    compiler(machine, "g++-12", "12.9.0")
    assert [each.version for each in environment.compilers()] == ["12.10.0"]


def test_a_compiler_that_is_too_old_is_not_taken(machine):
    compiler(machine, "g++", "11.4.0")
    compiler(machine, "clang++", "14.0.6", clang=True)
    assert names() == []


def test_a_compiler_is_what_it_says_and_not_what_it_is_called(machine):
    compiler(machine, "g++", "17.0.0", clang=True)
    assert names() == ["clang++-17"]


def test_a_compiler_without_a_standard_library_is_not_taken(machine):
    program(machine, "g++", "echo '#define __GNUC__ 13'; exit 1")
    assert names() == []


def test_no_path_is_no_compiler(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert names() == []


def test_a_folder_of_the_path_need_not_exist(machine, monkeypatch):
    compiler(machine, "g++", "12.2.0")
    monkeypatch.setenv("PATH", f"{machine}/nothing:{machine}")
    assert names() == ["g++-12"]


def test_a_missing_program_says_what_to_install(machine):
    with pytest.raises(LabError, match="^ninja is missing: install ninja-build$"):
        environment.require_program("ninja")


@pytest.mark.parametrize(("line", "found"), [("#include <vector>", True), ("#include <no/such/header.hpp>", False)])
def test_includes_are_found_or_not(tmp_path, line, found):
    header: Path = tmp_path / "peer.hpp"
    header.write_text(line)
    assert environment.finds_includes(environment.compilers()[0], header) is found


def test_the_machine_is_described():
    machine = environment.machine()
    assert machine.processor and machine.cores >= 1 and machine.kernel and machine.libc
