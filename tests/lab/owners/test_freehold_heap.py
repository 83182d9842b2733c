"""What is read of Freehold's heap is where the headers have it."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from freehold_lab import folders
from freehold_lab.owners.heaps import freehold, freehold_free, freehold_idle, freehold_large
from freehold_lab.owners.image.memory import WORD, Image, Segment

PROGRAM = """
#include <freehold/memory/replace_new.hpp>
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
    command = ["g++", "-std=c++20", "-g", "-pthread", f"-I{include}", "layout.cpp", "-o"]
    subprocess.run([*command, "layout"], cwd=folder, check=True)
    subprocess.run([*command, "hardened", "-DFREEHOLD_HARDENED"], cwd=folder, check=True)
    return folder / "layout"


def members(program, type_name):
    command = ["gdb", "--nx", "--batch", f"--eval-command=ptype /o 'freehold::v0_2::detail::{type_name}'", str(program)]
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
        "free": freehold_free.FREE,
        "uncut": freehold_free.UNCUT,
        "batches": freehold_free.BATCHES,
    }
    assert {name: found[name] for name in expected} == expected


def test_members_of_a_heap(program):
    found = members(program, "thread_heap")
    assert (found["entries_"], found["first_"]) == (freehold_free.REMOTE, freehold_free.INBOX)
    expected = (freehold.LIST_OF_HEAPS, freehold.NEXT_HEAP)
    assert (found["heaps_of_resource"], found["next_in_resource"]) == expected


def test_members_of_a_heap_of_a_hardened_program(program):
    found = members(program.with_name("hardened"), "thread_heap")
    expected = (freehold.LIST_OF_HEAPS, freehold.NEXT_HEAP)
    assert (found["heaps_of_resource"], found["next_in_resource"]) == tuple(
        each + freehold.LATER_IN_HARDENED for each in expected
    )


def test_members_of_the_records_of_large_blocks(program):
    found = members(program, "basic_large_blocks<false>")
    expected = {
        "count_": freehold_large.COUNT,
        "bytes_": freehold_large.BYTES,
        "reserved_": freehold_large.RESERVED,
        "buckets_": freehold_large.BUCKETS,
        "ever_used_": freehold_large.EVER_USED,
        "first_": freehold_large.FIRST_RECORDS,
        "count": freehold_large.SEGMENTS,
        "each": freehold_large.EACH_SEGMENT,
    }
    assert {name: found[name] for name in expected} == {name: WORD * at for name, at in expected.items()}
    record = members(program, "basic_large_blocks<false>::record")
    assert (record["hidden"], record["bytes"]) == (WORD * freehold_large.HIDDEN, WORD * freehold_large.SIZE)
    assert record["alignment"] + WORD == WORD * freehold_large.RECORD_WORDS


def test_members_of_the_pages(program):
    idle = members(program, "idle_pages")
    expected = {
        "used_": freehold_idle.USED,
        "newest_": freehold_idle.NEWEST,
        "oldest_": freehold_idle.OLDEST,
        "bytes_": freehold_idle.IDLE,
        "ends_": freehold_idle.ENDS,
        "fresh_end_": freehold_idle.END_OF_RECORDS,
        "mappings_": freehold_idle.MAPPINGS,
    }
    assert {name: idle[name] for name in expected} == {name: WORD * at for name, at in expected.items()}
    pages = members(program, "process_pages")
    assert (pages["fresh_"], pages["cut_from_"]) == (WORD * freehold_idle.FRESH, WORD * freehold_idle.CUT)
    assert pages["surplus_"] + 3 * WORD == WORD * freehold_idle.PAGES_WORDS  # it and two flags are the last
    record = members(program, "idle_pages::range")
    assert (record["older"], record["newer"]) == (freehold_idle.OLDER, freehold_idle.NEWER)
    assert record["next_by_end"] + WORD == freehold_idle.RANGE


@pytest.mark.parametrize(("number", "size"), [(0, 16), (1, 16), (64, 1024), (65, 1152), (72, 2048), (88, 8192)])
def test_sizes_of_classes(number, size):
    assert freehold.bytes_of_class(number) == size


@pytest.mark.parametrize(("secrets", "expected"), [((77, 77), 2), ((77,), 1), ((77, 76), 0)], ids=str)
def test_slabs_of_hardened_programs_have_one_secret(secrets, expected):
    """Where the secrets differ, the words are what was there before: that of the first slab beside one without any."""
    count = len(secrets) + (expected == 0)
    slabs = (1 << 20) + freehold.SLAB * np.arange(count)
    segment = Segment(
        1 << 20, (1 << 20) + freehold.SLAB * count, "rw-p", data=np.zeros(freehold.SLAB * count, np.uint8)
    )
    for slab, secret in zip(slabs - segment.start, secrets, strict=False):
        segment.words[(slab + freehold.CLASS) // WORD] = 64 << 32 | 4
        segment.words[(slab + freehold.SEAL) // WORD] = (segment.start + int(slab) + freehold.SEAL | 1) * secret
    found = freehold.are_hardened(Image("", "x86-64", [segment], []), slabs, np.full(count, 4))
    assert found.sum() == expected
