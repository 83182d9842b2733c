"""Which words are control blocks: one that has the table of some, in a slab of Freehold's pool."""

import numpy as np
import pytest

from freehold_lab.owners.graph import blocks
from freehold_lab.owners.graph.blocks import Objects
from freehold_lab.owners.heaps.heap import NO_RANGES, Heap
from freehold_lab.owners.image.memory import Image, Segment
from freehold_lab.owners.tables.type_information import Tables

SLAB, SIZE, COUNT, TABLE = 0x10000, 64, 8, 0x30000
NAME = "St23_Sp_counted_ptr_inplaceI4NodeSaIvELN9__gnu_cxx12_Lock_policyE2EE"
TABLES = Tables(np.array([TABLE]), [NAME], np.zeros(1, np.int64))
FIRST, NONE = np.array([SLAB + 2 * SIZE]), np.zeros(1, np.int64)
GRAIN = 16


def count(head):
    """Returns how many blocks are found where the bytes come after the pointer to the table."""
    segment = Segment(SLAB, SLAB + COUNT * SIZE, "rw-p", data=np.zeros(COUNT * SIZE, np.uint8))
    segment.data[2 * SIZE + 8 : 2 * SIZE + 8 + len(head)] = np.frombuffer(head, np.uint8)
    starts = SLAB + SIZE * np.arange(2, COUNT)
    heap = Heap("Freehold's pool", starts, starts + SIZE, np.ones(len(starts), bool))
    return len(blocks.find(Image("", "x86-64", [segment], []), TABLES, Objects(FIRST, NONE), heap, NO_RANGES))


def counts(owners, weak):
    return np.array([owners, weak], np.int32).tobytes()


def batch(places):
    return bytes([len(places), len(places) + 1]) + np.array(places, np.uint16).tobytes()


@pytest.mark.parametrize("owners", [1, 70_000])
def test_what_has_counts_is_a_block(owners):
    assert count(counts(owners, 1)) == 1


def test_a_batch_of_freed_blocks_is_none():
    """A thread has it in hand, in whose place an object was before: the first word is as it was."""
    assert count(batch([3 * SIZE // GRAIN, 5 * SIZE // GRAIN, 4 * SIZE // GRAIN])) == 0


def test_numbers_that_name_no_blocks_are_counts():
    assert count(batch([3 * SIZE // GRAIN, 1, 5 * SIZE // GRAIN])) == 1
