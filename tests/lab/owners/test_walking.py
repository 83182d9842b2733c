"""What the walk says of memory that a container does not describe: nothing, and it ends."""

import numpy as np
import pytest

from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.heaps.lookup import Places
from freehold_lab.owners.image.memory import WORD, Image, Segment
from freehold_lab.owners.members.asking import Shape
from freehold_lab.owners.members.walking import Walk

MEMORY, BLOCK, COUNT = 0x10000, 256, 4  # as many blocks side by side, of so many bytes
LAST = MEMORY + (COUNT - 1) * BLOCK
OWNER = Shape(16, 8, parts=[["owner", 0]])


def walked(part, words):
    """Returns what the walk says of an object with this part at the start of the first block. The part may name OWNER
    as shape 1. `words` has what is at each distance from there."""
    memory = np.zeros(COUNT * BLOCK // WORD, np.uint64)
    for offset, word in words.items():
        memory[offset // WORD] = word
    image = Image("memory", "x86-64", [Segment(MEMORY, MEMORY + COUNT * BLOCK, "rw-p", data=memory.view(np.uint8))], [])
    starts = MEMORY + BLOCK * np.arange(COUNT)
    none = np.empty(0, np.int64)
    nodes = Nodes(starts, starts + BLOCK, Places(starts, starts + BLOCK), Places(none, none), none, np.full(COUNT, -1))
    walk = Walk(image, nodes, [Shape(BLOCK, 8, parts=[part]), OWNER])
    walk.add(0, starts[:1])
    return walk.run()


@pytest.fixture(params=["libstdc++", "libc++"])
def deque(request):
    """A deque that has two owners: the part, and its words where its map begins there and has its buffer there."""

    def words(map, place, buffer):
        if request.param == "libstdc++":
            ends = [buffer, buffer, buffer + 192, place], [buffer + 32, buffer, buffer + 192, place]
            listed = [map, 8, *ends[0], *ends[1]]
        else:
            listed = [map, place, place + WORD, place + WORD, 0, 2]
        return {number * WORD: each for number, each in enumerate(listed)} | {place - MEMORY: buffer}

    return [f"deque of {request.param}", 0, 1, 12], words


def test_elements_of_a_deque_are_known_and_what_is_behind_them_is_dead(deque):
    part, words = deque
    map = buffer = MEMORY + BLOCK
    buffer += BLOCK
    found = walked(part, words(map, map + WORD, buffer))
    assert found.at.tolist() == [buffer, buffer + 16]
    live = [map + WORD, buffer, buffer + 31]
    assert found.is_dead(np.array([map, map + 16, buffer + 32, buffer + BLOCK - 1, LAST])).tolist() == [True] * 4 + [
        False
    ]
    assert not found.is_dead(np.array(live)).any()


def test_the_ends_of_a_deque_s_memory_lead_to_no_neighbor(deque):
    part, words = deque
    found = walked(part, words(MEMORY + BLOCK, MEMORY + BLOCK + WORD, MEMORY + 2 * BLOCK))
    ends = {"libstdc++": [32, 64], "libc++": [16, 24]}[part[0].removeprefix("deque of ")]
    assert found.is_dead(MEMORY + np.array(ends)).all()


def test_the_ends_of_a_vector_lead_to_no_neighbor():
    end = MEMORY + 2 * BLOCK
    found = walked(["vector", 0, 1], {0: MEMORY + BLOCK, 8: end, 16: end})
    assert found.is_dead(MEMORY + WORD * np.arange(3)).tolist() == [False, True, True]


def test_of_a_deque_whose_map_is_in_no_block_nothing_is_known(deque):
    part, words = deque
    found = walked(part, words(MEMORY - BLOCK, MEMORY + BLOCK, MEMORY + 2 * BLOCK))
    assert (len(found.at), len(found.dead)) == (0, 0)


def test_what_is_no_tree_ends():
    one, other = MEMORY + BLOCK, MEMORY + 2 * BLOCK
    links = {each - MEMORY + at: to for each, to in ((one, other), (other, one)) for at in (16, 24)}
    found = walked(["tree", 0, 1, 16, 16, 32], {16: one} | links)
    assert found.at.tolist() == [one + 32, other + 32]


@pytest.mark.parametrize(("index", "handles", "dead"), [(0, 1, 8), (1, 0, 0), (255, 0, 24)])
def test_a_variant_tells_of_the_alternatives_that_are_known(index, handles, dead):
    found = walked(["variant", 0, [1], 16, 1, 24], {16: index})
    assert (len(found.at), int((found.dead[:, 1] - found.dead[:, 0]).sum())) == (handles, dead)
