"""musl's blocks, in memory that is written as its source says."""

import numpy as np

from freehold_lab.owners.heaps import musl
from freehold_lab.owners.image.memory import Image, Segment

AREA, MEMORY = 0x7F0000000000, 0x7F0000010000
SECRET = 0x1234567890ABCDEF


def image(*groups):
    """Each group is its address, the class, the number of blocks, and the masks of those that are free."""
    data = {AREA: np.zeros(512, np.uint64), MEMORY: np.zeros(4096, np.uint64)}
    data[AREA][0], data[AREA][2] = SECRET, 101
    for number, (address, kind, blocks, available, freed) in enumerate(groups):
        record = 3 + 5 * number
        data[AREA][record + 2] = address
        data[AREA][record + 3] = available | freed << 32
        data[AREA][record + 4] = (blocks - 1) | kind << 6
        data[MEMORY][(address - MEMORY) // 8] = AREA + 8 * record
    segments = [Segment(at, at + 8 * len(words), "rw-p", data=words.view(np.uint8)) for at, words in data.items()]
    return Image("memory", "x86-64", segments, [])


def test_blocks_have_the_size_of_their_class():
    heap = musl.read(image((MEMORY, 2, 3, 0, 0)), [])
    assert heap is not None
    assert (heap.starts - MEMORY).tolist() == [16, 64, 112]
    assert (heap.ends - heap.starts).tolist() == [44, 44, 44]


def test_a_block_is_free_that_was_never_used_or_was_freed():
    heap = musl.read(image((MEMORY, 0, 5, 0b10000, 0b00010)), [])
    assert heap is not None
    assert heap.used.tolist() == [True, False, True, True, False]


def test_a_block_that_is_a_group_is_none():
    heap = musl.read(image((MEMORY, 15, 2, 0, 0), (MEMORY + 16, 0, 4, 0, 0)), [])
    assert heap is not None
    assert [MEMORY + 16 not in heap.starts, MEMORY + 32 in heap.starts] == [True, True]


def test_nodes_of_a_tree_are_no_group():
    tree = image((MEMORY, 2, 3, 0, 0))
    words = tree.segments[1].data.view(np.uint64)
    words[100], words[200 + 2] = MEMORY + 8 * 200, MEMORY + 8 * 100
    heap = musl.read(tree, [])
    assert heap is not None
    assert len(heap.starts) == 3


def test_other_memory_has_no_heap():
    assert musl.read(image(), []) is None
