"""What is read of Freehold's heap is where the headers have it."""

import re
import shutil
import subprocess

import pytest

from freehold_lab import folders
from freehold_lab.owners.heaps import freehold

PROGRAM = """
#include <freehold/pointers.hpp>
int main() { return *freehold::make_shared<int>(0); }
"""
MEMBER = re.compile(r"/\*\s*(\d+)\s*\|\s*\d+ \*/.*?(\w+)(?:\[\d+\])?;$", re.MULTILINE)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if shutil.which("gdb") is None:
        pytest.skip("gdb is missing")
    folder = tmp_path_factory.mktemp("layout")
    (folder / "layout.cpp").write_text(PROGRAM)
    include = folders.ROOT / "include"
    subprocess.run(
        ["g++", "-std=c++20", "-g", "-pthread", f"-I{include}", "layout.cpp", "-o", "layout"], cwd=folder, check=True
    )
    return folder / "layout"


def members(program, type_name):
    command = ["gdb", "--nx", "--batch", f"--eval-command=ptype /o freehold::v0_2::detail::{type_name}", str(program)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name: int(at) for at, name in MEMBER.findall(shown)}


def test_members_of_a_slab(program):
    found = members(program, "slab")
    expected = {
        "home": freehold.HOME,
        "block_class": freehold.CLASS,
        "first_of_chunk": freehold.FIRST_OF_CHUNK,
        "slabs": freehold.COUNT_OF_CHUNK,
        "opened": freehold.OPENED_OF_CHUNK,
        "free": freehold.FREE,
        "uncut": freehold.UNCUT,
        "batches": freehold.BATCHES,
    }
    assert {name: found[name] for name in expected} == expected


def test_members_of_a_heap(program):
    found = members(program, "thread_heap")
    assert (found["entries_"], found["first_"]) == (freehold.REMOTE, freehold.INBOX)
    expected = (freehold.LIST_OF_HEAPS, freehold.NEXT_HEAP)
    assert (found["heaps_of_resource"], found["next_in_resource"]) == expected


@pytest.mark.parametrize(("number", "size"), [(0, 16), (1, 16), (64, 1024), (65, 1152), (72, 2048), (88, 8192)])
def test_sizes_of_classes(number, size):
    assert freehold.bytes_of_class(number) == size
