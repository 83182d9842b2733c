"""What a deque does not use: an object has one, whose map and two buffers are the next blocks, side by side."""

import pytest

from freehold_lab.owners.graph import deques
from freehold_lab.owners.image.memory import WORD
from heap_of_words import Heap, in_row

OBJECT, OTHER, MAP, FIRST, LAST, NEXT = range(6)
BUFFER = 512
SIZES = [128, 128, 64, BUFFER, BUFFER, 64]
BEGIN, END = 64, 32  # of the elements in the buffers
UNUSED = [(MAP, 16), (FIRST, 0), (LAST, 40), (LAST, BUFFER - WORD)]
USED = [(FIRST, BEGIN), (LAST, END - WORD)]


def header(heap, number):
    map, first, last = (heap.begin(each) for each in (MAP, FIRST, LAST))
    ends = (first + BEGIN, first, first + BUFFER, map + 24), (last + END, last, last + BUFFER, map + 32)
    return in_row(heap.object(number), map, 8, *ends[0], *ends[1])


def unused(more=lambda _: {}, registers=()):
    """Returns in which words of which blocks, of those that lead to the next block's middle, nothing is alive."""

    def memory(heap):
        found = header(heap, OBJECT) | in_row(heap.begin(MAP) + 24, heap.begin(FIRST), heap.begin(LAST))
        return found | {heap.begin(block) + at: heap.begin(NEXT) + 8 for block, at in UNUSED + USED} | more(heap)

    heap = Heap(SIZES, [0, 0], memory, registers)
    dead = heap.at(deques.unused(heap.image, heap.nodes, heap.words))
    return [(block, at) for block, at in UNUSED + USED if heap.begin(block) + at in dead], dead, heap


def test_what_a_deque_does_not_use_is_dead():
    assert unused()[0] == UNUSED


def test_the_ends_of_its_buffers_lead_to_no_neighbor():
    _, dead, heap = unused()
    assert {heap.object(OBJECT) + 4 * WORD, heap.object(OBJECT) + 8 * WORD} <= set(dead)


@pytest.mark.parametrize("block", [MAP, FIRST, LAST])
def test_one_whose_memory_another_has_is_none(block):
    assert unused(lambda heap: {heap.object(OTHER): heap.begin(block)})[0] == []


def test_of_two_with_the_same_memory_neither_counts():
    assert unused(lambda heap: header(heap, OTHER))[0] == []


def test_a_word_in_what_it_does_not_use_claims_nothing():
    assert unused(lambda heap: {heap.begin(LAST) + 40: heap.begin(FIRST)})[0] == UNUSED


@pytest.mark.parametrize("register", [0x10000 + 16 + 48, 0x10000 + 256 + 64], ids=["deque", "buffer"])
def test_one_that_a_thread_has_in_hand_does_not_count(register):
    assert unused(registers=(register,))[0] == []
