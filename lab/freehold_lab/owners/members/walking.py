"""Walks from the objects whose types are known into all that they hold, exactly: through the containers of the standard
library, as debug information has them.

It tells whether each handle that it reaches owns, and what memory is dead: behind the last element of a
vector or a deque, in an optional that is empty, beside what a variant holds, behind the end of a node's value. There
lie handles that were left by what used the memory before, and without this they count as possible owners.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from freehold_lab.owners.graph.kinds import Kind, Kinds
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.image.memory import WORD, Addresses, Flags, Image
from freehold_lab.owners.members.asking import Shape
from freehold_lab.owners.tables.type_information import index_of

MOST_STEPS = 4000  # along lists; what is further is not walked
MOST_LEVELS = 128  # of a tree
STRING_BUFFERS = {"libstdc++": (16, 32), "libc++": (0, 24)}  # where a short string's letters are


@dataclass
class Exact:
    """The handles that live in known places, sorted by address, and the ranges of memory that nothing lives in."""

    at: Addresses
    kind: Kinds
    dead: Addresses  # rows of start and end

    @staticmethod
    def nothing() -> "Exact":
        none = np.empty(0, np.int64)
        return Exact(none, np.empty(0, np.int8), none.reshape(0, 2))

    def of(self, handles: Addresses) -> Kinds:
        """Returns the kind of each handle, and Kind.UNKNOWN for those that were not reached."""
        place = index_of(self.at, handles)
        return np.where(place >= 0, np.append(self.kind, Kind.UNKNOWN)[place], Kind.UNKNOWN).astype(np.int8)

    def is_dead(self, addresses: Addresses) -> Flags:
        order = np.argsort(self.dead[:, 0])
        starts, ends = self.dead[order, 0], np.maximum.accumulate(self.dead[order, 1])
        before = np.searchsorted(starts, addresses, "right") - 1
        return (before >= 0) & (addresses < np.append(ends, 0)[before])


class Walk:
    """One of all objects at once: in each step the parts of one type are read in all of its objects."""

    def __init__(self, image: Image, nodes: Nodes, shapes: list[Shape]) -> None:
        self._image = image
        self._nodes = nodes
        self._shapes = shapes
        self._waiting: dict[int, list[Addresses]] = defaultdict(list)
        self._seen: dict[int, Addresses] = {}
        self._handles: list[tuple[Addresses, Kind]] = []
        self._dead: list[Addresses] = []

    def add(self, shape: int, at: Addresses) -> None:
        """Effects: objects of this shape are at the addresses."""
        if len(at):
            self._waiting[shape].append(at)

    def tail(self, at: Addresses, size: int) -> None:
        """Effects: at each address is an object of `size` bytes, and the rest of its block of memory is dead."""
        node = self._nodes.index(at)
        inside = node >= 0
        self._bury(at[inside] + size, self._nodes.ends[node[inside]])

    def run(self) -> Exact:
        for _ in range(MOST_STEPS):
            if not self._waiting:
                break
            number, pieces = self._waiting.popitem()
            at = np.unique(np.concatenate(pieces))
            seen = self._seen.get(number, np.empty(0, np.int64))
            at = at[index_of(seen, at) < 0]
            self._seen[number] = np.union1d(seen, at)
            for part in self._shapes[number].parts:
                self._read(part, at + part[1])
        return self._found()

    def _found(self) -> Exact:
        none = Exact.nothing()
        at = np.concatenate([none.at, *(each for each, _ in self._handles)])
        kind = np.concatenate([none.kind, *(np.full(len(each), of, np.int8) for each, of in self._handles)])
        at, first = np.unique(at, return_index=True)
        return Exact(at, kind[first], np.concatenate([none.dead, *self._dead]))

    def _read(self, part: list[Any], at: Addresses) -> None:
        kind, _, *more = part
        match kind:
            case "owner":
                self._handles.append((at, Kind.OWNER))
            case "weak":
                self._handles.append((at, Kind.WEAK))
            case "vector":
                self._read_vector(at, *more)
            case "deque of libstdc++":
                self._read_deque(at, *more)
            case "deque of libc++":
                self._read_deque_of_libcxx(at, *more)
            case "chain":
                self._read_chain(at, *more)
            case "tree":
                self._read_tree(at, *more)
            case "optional":
                self._read_choice(at, [more[0]], np.where(self._bytes(at + more[1], 1) == 1, 0, -1), more[2])
            case "variant":
                index = self._bytes(at + more[1], more[2])
                valueless = (1 << 8 * more[2]) - 1
                self._read_choice(at, more[0], np.where(index == valueless, -1, index), more[3])
            case "unique":
                self._read_nodes(self._word(at), more[0], 0)
            case "string of libstdc++" | "string of libc++":
                self._read_string(at, kind.removeprefix("string of "))
            case "function of libstdc++":  # its closure is before a pointer to the function that copies it
                at = at[self._word(at + more[0]) == 0]
                self._bury(at, at + more[0])
            case "function of libc++":  # its closure is before a pointer to where the closure is
                at = at[self._word(at + more[0]) != at]
                self._bury(at, at + more[0])
            case "nothing":
                self._bury(at, at + WORD)

    def _read_vector(self, at: Addresses, of: int) -> None:
        begin, last, room = (self._word(at + each * WORD) for each in range(3))
        node = self._nodes.index(begin)
        end = self._nodes.ends[node]
        good = (node >= 0) & (begin <= last) & (last <= room) & (room <= end)
        node = node[good]
        begin, last, room, end = (each[good] for each in (begin, last, room, end))
        self._bury(last, np.where(self._nodes.starts[node] == begin, end, room))
        self._bury_ends(at[good] + WORD, 2)
        self._add_elements(of, begin, last)

    def _read_deque(self, at: Addresses, of: int, most: int) -> None:
        """The words are those of a map of buffers and its size, and four of each end: element, buffer's start and end,
        and the place in the map."""
        words = [self._word(at + each * WORD) for each in range(10)]
        map, count, first, _, _, from_map, last, _, _, to_map = words
        size = self._shapes[of].size
        good = self._is_within(map, from_map, to_map + WORD) & (to_map < map + count * WORD) & (size > 0)
        map, first, from_map, last, to_map = (each[good] for each in (map, first, from_map, last, to_map))
        for word in (4, 8):
            self._bury_ends(at[good] + word * WORD, 1)
        self._bury_around(map, from_map, to_map + WORD)
        which, place = _spread(from_map, to_map + WORD, WORD)
        buffer = self._word(place)
        begin = np.where(place == from_map[which], first[which], buffer)
        end = np.where(place == to_map[which], last[which], buffer + most * size)
        self._add_buffers(of, buffer, begin, end)

    def _read_deque_of_libcxx(self, at: Addresses, of: int, most: int) -> None:
        """The words are a map of buffers, where its begin, end and room end, the first element's number, and how many
        elements there are."""
        map, from_map, to_map, _, number, count = (self._word(at + each * WORD) for each in range(6))
        size = self._shapes[of].size
        good = self._is_within(map, from_map, to_map) & (number >= 0) & (count >= 0) & (size > 0)
        good &= number + count <= (to_map - from_map) // WORD * most
        map, from_map, to_map, number, count = (each[good] for each in (map, from_map, to_map, number, count))
        self._bury_ends(at[good] + 2 * WORD, 2)
        self._bury_around(map, from_map, to_map)
        which, place = _spread(from_map, to_map, WORD)
        buffer = self._word(place)
        first = number[which] - (place - from_map[which]) // WORD * most  # counted from this buffer's start
        begin = buffer + np.clip(first, 0, most) * size
        end = buffer + np.clip(first + count[which], 0, most) * size
        self._add_buffers(of, buffer, begin, end)

    def _add_buffers(self, of: int, buffer: Addresses, begin: Addresses, end: Addresses) -> None:
        good = self._is_within(buffer, begin, end)
        buffer, begin, end = (each[good] for each in (buffer, begin, end))
        self._bury_around(buffer, begin, end)
        self._add_elements(of, begin, end)

    def _add_elements(self, of: int, begin: Addresses, end: Addresses) -> None:
        size = self._shapes[of].size
        if size and self._shapes[of].parts:
            self.add(of, _spread(begin, begin + (end - begin) // size * size, size)[1])

    def _read_chain(self, at: Addresses, of: int, first: int, link: int, before: int) -> None:
        node = self._word(at + first)
        for _ in range(MOST_STEPS):
            going = self._starts_node(node) & (node != at)
            node, at = node[going], at[going]
            if len(node) == 0:
                break
            self._read_nodes(node, of, before)
            node = self._word(node + link)

    def _read_tree(self, at: Addresses, of: int, root: int, left: int, before: int) -> None:
        nodes = self._word(at + root)
        for _ in range(MOST_LEVELS):
            nodes = nodes[self._starts_node(nodes)]
            if len(nodes) == 0:
                break
            self._read_nodes(nodes, of, before)
            # In what is no tree, two may lead to one.
            nodes = np.unique(np.concatenate([self._word(nodes + left), self._word(nodes + left + WORD)]))

    def _read_nodes(self, at: Addresses, of: int, before: int) -> None:
        """Effects: adds the value of each node, which has links of `before` bytes in front of it."""
        at = at[self._starts_node(at)]
        shape = self._shapes[of]
        self.add(of, at + before)
        if shape.size and not shape.is_polymorphic:
            self.tail(at, before + shape.size)

    def _read_choice(self, at: Addresses, of: list[int], chosen: Addresses, whole: int) -> None:
        """Effects: adds what each variant of `whole` bytes holds, by the number of its alternative; -1 is none. One of
        which gdb does not know the alternative stays as it is."""
        sizes = np.array([self._shapes[each].size for each in of] + [0], np.int64)
        if not sizes[:-1].all():
            return
        at, chosen = at[chosen < len(of)], chosen[chosen < len(of)]
        self._bury(at + sizes[chosen], at + whole)
        for number, each in enumerate(of):
            self.add(each, at[chosen == number])

    def _read_string(self, at: Addresses, library: str) -> None:
        begin, end = STRING_BUFFERS[library]
        is_short = self._word(at) == at + begin if library == "libstdc++" else self._bytes(at, 1) % 2 == 0
        self._bury(at[is_short] + begin, at[is_short] + end)

    def _bury(self, begin: Addresses, end: Addresses) -> None:
        """Effects: the words that begin in these ranges are dead."""
        begin = -(-begin // WORD) * WORD
        self._dead.append(np.stack([begin, end], axis=1)[begin < end])

    def _bury_ends(self, at: Addresses, count: int) -> None:
        """Effects: the words at these addresses are dead: they lead behind a block of memory, where in some heaps the
        next one begins."""
        self._bury(at, at + count * WORD)

    def _bury_around(self, block: Addresses, begin: Addresses, end: Addresses) -> None:
        """Effects: of the blocks of memory, what is before `begin` and behind `end` is dead."""
        self._bury(block, begin)
        self._bury(end, self._nodes.ends[self._nodes.index(block)])

    def _is_within(self, block: Addresses, begin: Addresses, end: Addresses) -> Flags:
        """Says whether a block of memory begins at each of the addresses and has the range in it."""
        inside = (block <= begin) & (begin <= end) & (end <= self._nodes.ends[self._nodes.index(block)])
        return self._starts_node(block) & inside

    def _starts_node(self, at: Addresses) -> Flags:
        node = self._nodes.index(at)
        found: Flags = (node >= 0) & (self._nodes.starts[node] == at)
        return found

    def _word(self, at: Addresses) -> Addresses:
        return self._image.words(at).view(np.int64)

    def _bytes(self, at: Addresses, count: int) -> Addresses:
        words = self._image.words(at // WORD * WORD)
        found = (words >> (at % WORD * 8).astype(np.uint64)) & np.uint64((1 << 8 * count) - 1)
        return found.astype(np.int64)


def _spread(begin: Addresses, end: Addresses, step: int) -> tuple[Addresses, Addresses]:
    """Returns, for the ranges, the number of the range and the address of each step in it."""
    count = np.maximum(0, end - begin) // step
    which = np.repeat(np.arange(len(begin)), count)
    return which, begin[which] + (np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)) * step
