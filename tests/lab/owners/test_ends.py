"""Which words are the ends of vectors: three objects of one type, and blocks side by side that their words lead to."""

import numpy as np
import pytest

from freehold_lab.owners.graph import ends
from freehold_lab.owners.graph.blocks import Objects
from freehold_lab.owners.image.memory import WORD
from heap_of_words import Heap, in_row

SIZES = [64, 64, 64, 32, 64, 64, 32]
A, B, C, D = range(3, 7)
NONE = np.empty(0, np.int64)


def found(vectors):
    """Returns which words of which objects are ends. `vectors` says of each object which block, where in it the last
    element ends, and where the block does."""

    def memory(heap):
        found = {}
        for number, (block, last, room) in enumerate(vectors):
            found |= in_row(heap.object(number), *(heap.begin(block) + each for each in (0, last, room)))
        return found

    heap = Heap(SIZES, [0, 0, 0], memory)
    at = heap.at(ends.of_vectors(heap.image, heap.blocks, heap.nodes, Objects(NONE, NONE), np.arange(3), heap.words))
    return [divmod(each - heap.object(0), SIZES[0]) for each in at]


def test_ends_of_vectors_are_found_by_their_place():
    assert found([(A, 16, 32), (B, 64, 64), (C, 16, 64)]) == [(0, 2 * WORD), (1, WORD), (1, 2 * WORD), (2, 2 * WORD)]


@pytest.mark.parametrize(
    "vectors",
    [
        [(B, 16, 64), (C, 64, 64), (B, 0, 64)],  # of one size
        [(A, 32, 32), (B, 64, 64), (C, 0, 64)],  # none is filled in part
        [(A, 16, 32), (B, 64, 64), (D, -32, 32)],  # one is no vector
    ],
    ids=["one size", "all full", "another"],
)
def test_what_may_be_pointers_to_neighbors_is_kept(vectors):
    assert found(vectors) == []
