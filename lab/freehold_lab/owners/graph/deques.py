"""Deques of libstdc++, by what is in them: what they do not use of their memory is dead.

One is ten words: a map of buffers and its length, and two iterators, of four words each: an element, where its buffer
begins and ends, and where the map has the buffer. Words that were left of a destroyed deque look alike; but what it
had is led to by whoever has it now. So a deque counts only if nothing else that is alive leads to the start of its map
or of its buffers; and if no thread has any of it in hand, as while it adds an element.
"""

import numpy as np

from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.words import Region, Words
from freehold_lab.owners.image.memory import WORD, Addresses, Flags, Image
from freehold_lab.owners.tables.type_information import index_of, is_inside

LEAST_MAP = 8  # buffers that a map has room for
MOST_MAP = 1 << 32
BYTES = 10 * WORD


def unused(image: Image, nodes: Nodes, words: Words) -> Flags:
    """Returns which words are in such memory, or are the ends of buffers, where another block may begin."""
    alive = words.region != Region.DEAD
    first = np.flatnonzero(alive & (words.to == nodes.starts[words.target]))
    at = np.sort(words.at[first])
    length = image.words(at + WORD)
    found = _Deques(image, nodes, at[(length >= LEAST_MAP) & (length < MOST_MAP)])
    which, claim = _claims(found, words, first)
    good = found.are_apart() & ~found.in_hand(image.registers)
    # What one of them does not use claims nothing, as long as that one counts.
    while good[claimed := which[~is_inside(found.ranges(good), words.at[claim])]].any():
        good[claimed] = False
    dead: Flags = alive & is_inside(found.ranges(good), words.at)
    return dead


def _claims(deques: "_Deques", words: Words, first: Addresses) -> tuple[Addresses, Addresses]:
    """Returns pairs of a deque and a word of others that leads to the start of its map or of its buffer. `first` are
    the words that lead to the start of a block."""
    pairs = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for part in range(3):
        order = np.argsort(deques.nodes[:, part])
        found = index_of(deques.nodes[order, part], words.target[first].astype(np.int64))
        led, which = first[found >= 0], order[found[found >= 0]]
        own = (words.at[led] >= deques.at[which]) & (words.at[led] < deques.at[which] + BYTES)
        own |= (part > 0) & (words.source[led] == deques.nodes[which, 0])
        pairs.append((which[~own], led[~own]))
    return np.concatenate([each for each, _ in pairs]), np.concatenate([each for _, each in pairs])


class _Deques:
    def __init__(self, image: Image, nodes: Nodes, at: Addresses) -> None:
        """`at` is where deques may be, sorted."""
        words = [image.words(at + number * WORD).view(np.int64) for number in range(BYTES // WORD)]
        map, length, begin, first, first_end, from_place, end, last, last_end, to_place = words
        index = np.stack([nodes.index(each) for each in (map, first, last)], 1)
        good = (map <= from_place) & (from_place <= to_place) & (to_place < map + length * WORD)
        good &= (map == nodes.starts[index[:, 0]]) & (map + length * WORD <= nodes.ends[index[:, 0]])
        size = first_end - first
        good &= (size > 0) & (last_end - last == size) & ((from_place < to_place) | (begin <= end))
        for node, buffer, element, place in zip(
            index.T[1:], (first, last), (begin, end), (from_place, to_place), strict=True
        ):
            good &= (node >= 0) & (buffer == nodes.starts[node]) & (buffer + size <= nodes.ends[node])
            good &= (buffer <= element) & (element < buffer + size)
            good &= image.words(place).view(np.int64) == buffer
        self._nodes = nodes
        self.at = at[good]
        self.nodes = index[good].astype(np.int64)  # of the map, and of the first and the last buffer
        self._used = np.stack([from_place, begin, end, to_place], 1)[good]

    def are_apart(self) -> Flags:
        """Says of each whether it has no memory of another one."""
        last = np.where(self.nodes[:, 1] == self.nodes[:, 2], -1, self.nodes[:, 2])
        all_nodes = np.stack([self.nodes[:, 0], self.nodes[:, 1], last], 1)
        node, number, count = np.unique(all_nodes, return_inverse=True, return_counts=True)
        is_shared = (count > 1) & (node >= 0)
        return np.array(~is_shared[number].reshape(all_nodes.shape).any(axis=1))

    def in_hand(self, registers: Addresses) -> Flags:
        """Says of each whether a register leads to a part of it."""
        found = np.array(np.isin(self.nodes, self._nodes.index(registers)).any(axis=1))
        before = np.searchsorted(self.at, registers, "right") - 1
        before = before[(before >= 0) & (registers < np.append(self.at, 0)[before] + BYTES)]
        found[before] = True
        return found

    def ranges(self, which: Flags) -> Addresses:
        """Returns rows of start and end, sorted: what those do not use, and the ends of their buffers."""
        starts, ends = self._nodes.starts, self._nodes.ends
        at, (map, first, last) = self.at[which], self.nodes[which].T
        from_place, begin, end, to_place = self._used[which].T
        ranges = np.concatenate(
            [
                np.stack(each, 1)
                for each in (
                    (starts[map], from_place),
                    (to_place + WORD, ends[map]),
                    (starts[first], begin),
                    (end, ends[last]),
                    (at + 4 * WORD, at + 5 * WORD),
                    (at + 8 * WORD, at + 9 * WORD),
                )
            ]
        )
        ranges = ranges[ranges[:, 0] < ranges[:, 1]]
        return ranges[np.argsort(ranges[:, 0])]
