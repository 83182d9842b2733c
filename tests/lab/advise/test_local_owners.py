"""`./freehold advise --copies` of a program that was rebuilt: which types could have local pointers."""

import io
import shlex
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from freehold_lab.advise.copies import following, local, shim, showing

SOURCE = Path(__file__).with_name("local_owners.cpp")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local")
    flags, libraries = (shlex.split(line.partition(":")[2]) for line in shim.make(folder, "g++").splitlines())
    command = ["g++", "-std=c++20", "-pthread", *flags, SOURCE, "-o", folder / "program", *libraries]
    subprocess.run(command, check=True)
    return str(folder / "program")


def kinds(program, *arguments):
    return {each.name: each for each in following.follow([program, *arguments]).kinds}


def shown(program, *arguments):
    text = io.StringIO()
    showing.show_followed(following.follow([program, *arguments]), program, Console(file=text, width=200))
    return text.getvalue()


def test_a_type_that_one_thread_uses_has_the_copies_and_the_locks_of_its_owners(program):
    found = kinds(program, "threaded")
    assert found["Local"] == local.Kind("Local", objects=5, copies=5000, locked=10_000, crossed=0)
    assert found["Rare"].copies == 10
    assert [each.name for each in local.advised(found.values())] == ["Local"]


def test_a_count_that_a_second_thread_touches_is_not_local(program):
    found = kinds(program, "threaded")
    assert found["Shared"].crossed == 1
    assert found["Observed"].crossed == 1  # by a weak pointer alone


def test_a_local_pointer_is_advised_with_its_evidence(program):
    text = shown(program, "threaded")
    assert ". Local: freehold::local_shared_ptr<Local>" in text
    assert "because: 5,000 copies of owners of 5 objects; one thread alone touched each count" in text
    assert "saves at least 10,000 locked operations" in text
    assert f"confirm: ./freehold advise --confirm CHANGED -- {program}" in text
    assert "would gain 0" not in text


def test_nothing_is_gained_in_a_program_with_one_thread(program):
    found = kinds(program)
    assert {each.locked for each in found.values()} == {0}
    text = shown(program)
    assert "local_shared_ptr" not in text
    assert "A local pointer to Local would gain 0: in this run the program had one thread at all 5,000 copies" in text


@pytest.mark.parametrize(
    ("name", "is_local"), [("Local", True), ("std::vector<int>", True), ("std::__future_base::_State_baseV2", False)]
)
def test_what_only_the_library_makes_is_not_advised(name, is_local):
    assert local.Kind(name, 1, local.LEAST, local.LEAST, 0).is_local == is_local


def test_counts_that_never_lock_are_left_out():
    lines = [f"1 2000 0 0 St15_Sp_counted_ptrIP5LocalLN9__gnu_cxx12_Lock_policyE{policy}EE" for policy in (0, 2)]
    assert local.read(lines) == [local.Kind("Local", 1, 2000, 0, 0)]
    assert local.read(["1 2000 0 0 "]) == []  # of a program without RTTI
