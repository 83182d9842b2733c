"""What a word on a stack or in a register holds, in small heaps of make_shared's blocks and of plain memory."""

import numpy as np
import pytest

from freehold_lab.owners.graph import handles, kinds, reach, words
from freehold_lab.owners.graph.blocks import Blocks
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.reach import Grade
from freehold_lab.owners.heaps.lookup import Places
from freehold_lab.owners.image.memory import WORD, Image, Segment, Thread

HEAP, STACK, SIZE, COUNT = 0x10000, 0x20000, 64, 4  # COUNT blocks of SIZE bytes lie side by side
ONE, OTHER, FIRST, SECOND = range(HEAP, HEAP + SIZE * COUNT, SIZE)  # the first two are shared objects
IN_ONE, IN_OTHER = ONE + 16, OTHER + 16  # the objects, behind their counts


def graded(memory, owners=(1, 1), registers=(), trusted=True):
    """Returns the grades of the shared objects. Every handle owns; `trusted` says whether each is alive for sure."""
    segments = [
        Segment(at, at + SIZE * COUNT, "rw-p", name, data=np.zeros(SIZE * COUNT, np.uint8))
        for at, name in ((HEAP, ""), (STACK, "[stack]"))
    ]
    for at, word in memory.items():
        segment = segments[int(at >= STACK)]
        segment.words[(at - segment.start) // WORD] = word
    image = Image("memory", "x86-64", segments, [Thread(1, STACK, 0, registers)])
    starts, none, no = np.array([ONE, OTHER, FIRST, SECOND]), np.empty(0, np.int64), np.zeros(2, bool)
    blocks = Blocks(starts[:2], np.zeros(2, np.int64), np.array(owners), np.zeros(2, np.int64), ~no, no)
    own = np.arange(2)
    nodes = Nodes(
        starts, starts + SIZE, Places(starts, starts + SIZE), Places(none, none), own, np.append(own, [-1, -1])
    )
    leading = words.find(image, segments, [], None, blocks, nodes)
    found = handles.find(image, blocks, nodes, leading)
    owning = np.full(len(found.handles), kinds.Kind.OWNER, np.int8)
    alive = np.full(len(found.handles), trusted)
    leads = blocks, nodes, leading, found.handles, owning, found.object_node, image.registers, alive
    return [Grade(each) for each in reach.find(*leads, has_stacks=True).grade]


def handle(at, object, block):
    return {at: object, at + WORD: block}


CYCLE = handle(IN_ONE, IN_OTHER, OTHER) | handle(IN_OTHER, IN_ONE, ONE)


def test_a_cycle_leaks_to_which_nothing_leads():
    assert graded(CYCLE) == [Grade.LEAKED] * 2


@pytest.mark.parametrize("first", [FIRST, SECOND], ids=["first", "second"])
def test_what_lists_have_taken_out_is_held_by_a_stack(first):
    """Two elements of a list lead to each other, and nothing else to them: the thread destroys them one by one."""
    elements = {FIRST: SECOND, SECOND + WORD: FIRST}
    elements |= handle(FIRST + 16, IN_ONE, ONE) | handle(SECOND + 16, IN_OTHER, OTHER)
    assert graded(elements | {STACK: first}) == [Grade.HELD] * 2


@pytest.mark.parametrize(
    ("trusted", "grade"), [(True, Grade.LEAKED_STALE), (False, Grade.HELD)], ids=["alive", "not sure"]
)
def test_an_owner_on_a_stack_is_surplus_if_the_others_are_alive_for_sure(trusted, grade):
    assert graded(CYCLE | handle(STACK, IN_ONE, ONE), trusted=trusted) == [grade] * 2


@pytest.mark.parametrize("place", ["stack", "register"])
def test_the_words_of_an_owner_may_be_apart(place):
    """The object has a handle of its own that is left over, and its owner is a variable whose words lie apart."""
    on_stack = {STACK: ONE, STACK + 40: IN_ONE} if place == "stack" else {}
    in_registers = (ONE, IN_ONE) if place == "register" else ()
    grades = graded(handle(IN_ONE, IN_ONE, ONE) | on_stack, owners=(1, 0), registers=in_registers, trusted=False)
    assert grades == [Grade.HELD, Grade.EXPIRED]
