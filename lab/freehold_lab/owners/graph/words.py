"""Every word that leads to a node: where it is, and whether that place is alive."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.graph import stacks
from freehold_lab.owners.graph.blocks import Blocks
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.memory import WORD, Addresses, Flags, Image, Segment
from freehold_lab.owners.tables.modules import Module, ranges
from freehold_lab.owners.tables.type_information import is_inside

ADDRESS = (1 << 48) - 1  # the rest of a word may be a program's tag


class Region(IntEnum):
    NODE = 0  # in a node
    STACK = 1
    GLOBAL = 2  # a variable of the program or a library
    OTHER = 3  # a variable of a thread, or a mapping
    DEAD = 4  # nobody reads it: below a stack, in a free block, in an object that has been destroyed


@dataclass
class Words:
    at: Addresses
    to: Addresses
    source: NDArray[np.int32]  # the node that the word is in, or -1
    target: NDArray[np.int32]  # the node that it leads to
    region: NDArray[np.int8]

    @property
    def is_root(self) -> Flags:
        """Outside of the heap, and alive."""
        return (self.region > Region.NODE) & (self.region < Region.DEAD)

    def bury(self, which: Flags) -> None:
        """Effects: the words are dead, as if their memory were not in use."""
        self.region[which] = Region.DEAD
        self.source[which] = -1


def find(
    image: Image, segments: list[Segment], modules: list[Module], heap: Heap | None, blocks: Blocks, nodes: Nodes
) -> Words:
    """Returns all of them in the segments, which are those that the program can write."""
    least, most = int(nodes.starts.min()), int(nodes.ends.max())
    pieces = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32))]
    for each in segments:
        words = each.words.view(np.int64) & ADDRESS
        near = np.flatnonzero((words >= least) & (words < most))
        target = nodes.index(words[near])
        near, target = near[target >= 0], target[target >= 0]
        pieces.append((each.start + near * WORD, words[near], target))
    at, to, target = (np.concatenate(each) for each in zip(*pieces, strict=True))
    del pieces
    source = nodes.index(at)
    region = np.zeros(len(at), np.int8)
    outside = source < 0
    region[outside] = _regions(image, modules, heap, at[outside])
    # An object that has no owner is destroyed; or just then a thread destroys it, and what it owned may be alive.
    expired, dying = np.zeros(len(nodes), bool), np.zeros(len(nodes), bool)
    expired[nodes.of_block[blocks.owners == 0]] = True
    dying[target[region == Region.STACK]] = True
    in_register = nodes.index(image.registers)
    dying[in_register[in_register >= 0]] = True
    gone = (source >= 0) & expired[np.maximum(source, 0)]
    region[gone] = np.where(dying[source[gone]], Region.OTHER, Region.DEAD)
    source[gone] = -1
    return Words(at, to, source, target, region)


def _regions(image: Image, modules: list[Module], heap: Heap | None, at: Addresses) -> NDArray[np.int8]:
    found = np.full(len(at), Region.OTHER, np.int8)
    found[is_inside(ranges(modules), at)] = Region.GLOBAL
    for segment in image.segments:
        if segment.name.startswith("[stack"):
            found[(at >= segment.start) & (at < segment.end)] = Region.DEAD
    for thread in image.threads:
        if stack := stacks.of(image, modules, thread):
            found[(at >= stack.used) & (at < stack.end)] = Region.STACK
            found[(at >= stack.start) & (at < stack.used)] = Region.DEAD
    if heap is not None:
        found[heap.index(at) >= 0] = Region.DEAD  # a block that is free, as it is no node
        found[is_inside(heap.private, at)] = Region.DEAD
    return found
