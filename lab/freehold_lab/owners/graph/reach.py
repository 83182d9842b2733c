"""What the roots reach, and what therefore leaks.

A shared object is held only by handles that own. Everything else is held by any word that leads to it. A block is a
root if it has more owners than were found, or if an owner is outside of the heap.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.graph.blocks import Blocks
from freehold_lab.owners.graph.handles import Handles
from freehold_lab.owners.graph.kinds import Kind, Kinds
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.words import Region, Words
from freehold_lab.owners.image.memory import Addresses, Flags

MOST_LEVELS = 64


class Grade(IntEnum):
    HELD = 0
    LEAKED = 1  # no word leads to it from a root
    LEAKED_RAW = 2  # only raw pointers do
    LEAKED_STALE = 3  # only an owner on a stack or in a register does, beside as many in nodes as it has
    EXPIRED = 4  # it has no owner; weak pointers keep its memory
    SUSPECTED = 5  # it would be leaked, if all had been read and found; so the next two
    SUSPECTED_RAW = 6
    SUSPECTED_STALE = 7


LEAKS = (Grade.LEAKED, Grade.LEAKED_RAW, Grade.LEAKED_STALE)


@dataclass
class Edges:
    """Which node leads to which, sorted by the first."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    first: Addresses  # of each node, the index of its first edge

    def leaving(self, nodes: Addresses) -> tuple[NDArray[np.int32], Addresses]:
        """Returns the targets of all edges that leave the nodes, and the node that each of these leaves."""
        begin, count = self.first[nodes], self.first[nodes + 1] - self.first[nodes]
        index = np.repeat(begin - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
        return self.target[index], np.repeat(nodes, count)

    def reach(self, roots: Addresses) -> Flags:
        """Returns which nodes the roots lead to, themselves among them."""
        seen = np.zeros(len(self.first) - 1, bool)
        seen[roots] = True
        new = np.flatnonzero(seen)
        for _ in range(MOST_LEVELS):
            if len(new) == 0:
                return seen
            to, _ = self.leaving(new)
            reached = np.zeros(len(seen), bool)
            reached[to] = True
            reached &= ~seen
            seen |= reached
            new = np.flatnonzero(reached)
        seen[self._visited_from(new)] = True
        return seen

    def _visited_from(self, roots: Addresses) -> Addresses:
        """The same for long chains, which a loop over levels takes too long for; only then is scipy loaded."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import breadth_first_order

        count = len(self.first) - 1
        to = np.concatenate([self.target, roots]).astype(np.int32)  # one more node leads to the roots
        first = np.append(self.first, len(to)).astype(np.int32)
        matrix = csr_matrix((np.ones(len(to), np.int8), to, first), shape=(count + 1, count + 1))
        order = breadth_first_order(matrix, count, return_predecessors=False)
        reached: Addresses = order[order < count]
        return reached


def edges(source: NDArray[np.int32], target: NDArray[np.int32], count: int) -> Edges:
    order = np.argsort(source, kind="stable")
    source, target = source[order], target[order]
    return Edges(source, target, np.searchsorted(source, np.arange(count + 1)))


@dataclass
class Reached:
    grade: NDArray[np.int8]  # of each block
    owning: Edges  # through which what is held is held
    likely: Flags  # nodes that are held, if surplus owners on stacks are stale
    roots: Flags  # blocks that an owner outside of the heap holds, or one that was not found
    unseen: Addresses  # owners of each block that were not found, at most


def shared_nodes(blocks: Blocks, nodes: Nodes, object_node: Addresses) -> Flags:
    """Says of each node whether only owners hold it: control blocks, and their objects as long as there is an owner."""
    shared = nodes.block >= 0
    shared[object_node[(object_node >= 0) & (blocks.owners > 0)]] = True
    return shared


def find(
    blocks: Blocks,
    nodes: Nodes,
    words: Words,
    handles: Handles,
    kinds: Kinds,
    object_node: Addresses,
    registers: Addresses,
    trusted: Flags,
    has_stacks: bool,
) -> Reached:
    """`registers` are those of all threads; `trusted` says of each handle whether it is known to be alive."""
    count = len(blocks)
    shared = shared_nodes(blocks, nodes, object_node)
    elsewhere = np.flatnonzero((object_node >= 0) & ~blocks.houses)
    owns = np.zeros(len(words.at), bool)
    owns[handles.word[kinds != Kind.WEAK]] = True
    any_word = (words.source >= 0) & (words.source != words.target)
    through_owners = any_word & (~shared[words.target] | owns)
    to_object = nodes.of_block[elsewhere].astype(np.int32), object_node[elsewhere].astype(np.int32)

    def graph(which: Flags) -> Edges:
        source = np.concatenate([words.source[which], to_object[0]])
        return edges(source, np.concatenate([words.target[which], to_object[1]]), len(nodes))

    root = words.is_root
    in_register = nodes.index(registers)
    in_register = in_register[in_register >= 0]
    by_any = graph(any_word).reach(np.concatenate([words.target[root], in_register]))
    owning = graph(through_owners)
    in_node = handles.region == Region.NODE
    alive = handles.region != Region.DEAD
    sure = handles.count(count, (kinds == Kind.OWNER) & in_node & trusted)
    unknown = handles.count(count, (kinds == Kind.UNKNOWN) & alive)
    weak_left = np.maximum(0, blocks.weak - handles.count(count, (kinds == Kind.WEAK) & alive))
    least = handles.count(count, (kinds == Kind.OWNER) & alive) + np.maximum(0, unknown - weak_left)
    unseen = np.maximum(0, blocks.owners - least)
    lasting = handles.count(count, (kinds != Kind.WEAK) & np.isin(handles.region, (Region.GLOBAL, Region.OTHER)))
    # On a stack an owner may be left over from an earlier call, if the heap has all of them. There and in registers the
    # compiler may keep its two words apart, so that the one that leads to the block counts.
    in_use = np.zeros(count, bool)
    led = blocks.led_to(np.append(words.to[words.region == Region.STACK], registers))
    in_use[led[led >= 0]] = True
    needed = (unseen > 0) | (lasting > 0) | ((blocks.owners > sure) & in_use)
    strict = needed | in_use
    # What is not shared may be held by a stack's word alone, whatever else leads to it: a list of libc++ takes all of
    # its elements out at once, and they lead to each other until they are destroyed.
    plain = root & ~shared[words.target]
    plain_register = in_register[~shared[in_register]]
    surely = owning.reach(np.concatenate([words.target[plain], plain_register, nodes.of_block[strict]]))
    likely = owning.reach(np.concatenate([words.target[plain], plain_register, nodes.of_block[needed]]))
    mine = nodes.of_block
    reached = by_any[mine] | ((object_node >= 0) & by_any[np.maximum(object_node, 0)])
    grade = np.full(count, Grade.HELD, np.int8)
    if has_stacks:
        grade[~likely[mine]] = Grade.LEAKED_STALE
    grade[~surely[mine]] = Grade.LEAKED_RAW
    grade[~surely[mine] & ~reached] = Grade.LEAKED
    grade[blocks.owners == 0] = Grade.EXPIRED
    suspect(grade, owning.reach(_outside(blocks, nodes, words))[mine])
    return Reached(grade, owning, likely if has_stacks else surely, strict, unseen)


def suspect(grade: NDArray[np.int8], which: Flags) -> None:
    """Effects: those of the blocks that are called leaked are suspected."""
    grade[which & np.isin(grade, LEAKS)] += Grade.SUSPECTED - Grade.LEAKED


def _outside(blocks: Blocks, nodes: Nodes, words: Words) -> Addresses:
    """Returns the nodes of the blocks that are in no block of the heap, and what their words lead to that count as
    dead: it is not known for sure where such a block ends, nor whether it is free."""
    outside = nodes.of_block[blocks.outside]
    is_outside = np.zeros(len(nodes) + 1, bool)
    is_outside[outside] = True
    dead = np.flatnonzero(words.region == Region.DEAD) if len(outside) else np.empty(0, np.int64)
    return np.concatenate([outside, words.target[dead[is_outside[nodes.index(words.at[dead])]]]])
