"""Which handles are elements of vectors."""

import pytest

from freehold_lab.owners.graph import handles, vectors
from freehold_lab.owners.image.memory import WORD
from heap_of_words import Heap, in_row

HOLDER, ONE, OTHER, ELEMENTS = range(4)
SIZES = [64, 32, 32, 64]


def elements(length, memory):
    """Returns where the elements of a vector of that length are, in bytes from its first one."""

    def all(heap):
        begin = heap.begin(ELEMENTS)
        return in_row(heap.object(HOLDER), begin, begin + length, begin + 64) | in_row(begin, *memory(heap))

    heap = Heap(SIZES, [0, 0, 0], all)
    found = handles.find(heap.image, heap.blocks, heap.nodes, heap.words).handles
    first = vectors.of_elements(heap.image, heap.nodes, heap.words, found)
    return (found.at[first >= 0] - heap.begin(ELEMENTS)).tolist()


def handle(heap, number):
    return heap.object(number), heap.begin(number)


def test_handles_before_the_end_are_elements():
    assert elements(2 * 2 * WORD, lambda heap: [*handle(heap, ONE), *handle(heap, OTHER)]) == [0, 16]


def test_no_element_begins_in_the_middle_of_one():
    """Behind the last element is the second word of one that was there before."""
    assert elements(2 * WORD, lambda heap: [*handle(heap, ONE), heap.begin(OTHER)]) == [0]


@pytest.mark.parametrize("word", [0, 1])
def test_a_vector_whose_elements_are_not_all_handles_has_none(word):
    assert elements(2 * 2 * WORD, lambda heap: [*handle(heap, ONE), word, 0]) == []
