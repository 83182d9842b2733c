"""How far control blocks go in the heap's blocks."""

import numpy as np
import pytest

from freehold_lab.owners.graph import nodes
from freehold_lab.owners.graph.blocks import Blocks
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.memory import Image
from freehold_lab.owners.tables.type_information import Tables

HEAP, TABLE = 0x10000, 0x20000
BESIDE = "St15_Sp_counted_ptrIP4NodeLN9__gnu_cxx12_Lock_policyE2EE"


@pytest.mark.parametrize(("name", "room", "length"), [(BESIDE, 32, 24), (BESIDE, 48, 48)], ids=["little", "more"])
def test_what_malloc_adds_behind_a_block_is_no_part_of_it(name, room, length):
    heap = Heap("malloc", np.array([HEAP]), np.array([HEAP + room]), np.ones(1, bool))
    one, yes = np.ones(1, np.int64), np.ones(1, bool)
    blocks = Blocks(heap.starts, 0 * one, one, 0 * one, ~yes, ~yes)
    found = nodes.find(
        Image("memory", "x86-64", [], []), Tables(np.array([TABLE]), [name], np.zeros(1, np.int64)), blocks, heap
    )
    assert (found.ends - found.starts).tolist() == [length]


def test_a_control_block_at_the_end_of_an_array_does_not_reach_into_the_next_block():
    heap = Heap("malloc", np.array([HEAP, HEAP + 64]), np.array([HEAP + 64, HEAP + 128]), np.ones(2, bool))
    one, yes = np.ones(1, np.int64), np.ones(1, bool)
    blocks = Blocks(np.array([HEAP + 48]), 0 * one, one, 0 * one, ~yes, ~yes)
    found = nodes.find(
        Image("memory", "x86-64", [], []), Tables(np.array([TABLE]), [BESIDE], np.zeros(1, np.int64)), blocks, heap
    )
    assert found.index(np.array([HEAP + 48, HEAP + 63, HEAP + 64])).tolist() == [2, 2, 1]
