"""Handles: two words side by side, a pointer to an object and a pointer to its control block."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.graph.blocks import Blocks
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.words import Region, Words
from freehold_lab.owners.image.memory import PAGE, WORD, Addresses, Flags, Image
from freehold_lab.owners.tables.type_information import index_of, is_inside

MOST_POINTERS = 30  # words of a block among which the pointer to its object is


@dataclass
class Handles:
    word: Addresses  # index in the words of the one that leads to the block
    block: Addresses
    source: Addresses  # the node that the handle is in, or -1
    region: Addresses
    at: Addresses

    def __len__(self) -> int:
        return len(self.word)

    def count(self, blocks: int, which: Flags) -> Addresses:
        """Returns for each block how many of those handles lead to it."""
        return np.bincount(self.block[which], minlength=blocks)


@dataclass
class Found:
    handles: Handles
    object_node: Addresses  # for each block the node that its object is: of the block itself, another one, or -1


def find(image: Image, blocks: Blocks, nodes: Nodes, words: Words) -> Found:
    block = blocks.led_to(words.to)
    candidate = np.flatnonzero(block >= 0)
    block = block[candidate]
    at = words.at[candidate] - WORD
    pointer = image.words(at).view(np.int64)
    node = nodes.index(pointer)
    objects = _objects(image, blocks, nodes, block, node)
    inside = (node >= 0) & ((node == nodes.of_block[block]) | (node == objects[block]))
    # An alias may lead anywhere. Elsewhere than in the heap two such words are more often two pointers; but where
    # blocks cannot be told apart, the heap is elsewhere, and so is an object beside its block.
    mapped = [(each.start, each.end) for each in image.segments]
    alias = is_inside(np.array(mapped, np.int64), pointer) & (pointer >= PAGE)
    region = words.region[candidate]
    is_handle = inside | (alias & ((region == Region.NODE) | (blocks.outside[block] & (region == Region.OTHER))))
    candidate, block, at, region = (each[is_handle] for each in (candidate, block, at, region))
    return Found(Handles(candidate, block, words.source[candidate], region, at), objects)


def _objects(image: Image, blocks: Blocks, nodes: Nodes, block: Addresses, node: NDArray[np.int32]) -> Addresses:
    """Returns the node of each block's object. That of a block beside its object is one to whose start a word of the
    block leads, and into which a handle of the block leads; that of no other block.

    Effects: corrects which blocks house their objects."""
    objects = np.where(blocks.houses, nodes.of_block, -1)
    led = np.sort(block[node >= 0] * len(nodes) + node[node >= 0])  # pairs of a block and a node
    beside = np.flatnonzero(~blocks.houses)
    start = blocks.addresses[beside]
    end = nodes.ends[nodes.of_block[beside]]
    for each in range(2, MOST_POINTERS if len(beside) else 0):  # the first two words are the table and the counts
        at = start + each * WORD
        pointer = np.where(at < end, image.words(at).view(np.int64), 0)
        to = nodes.index(pointer)
        good = (to >= 0) & (nodes.starts[np.maximum(to, 0)] == pointer) & (nodes.block[np.maximum(to, 0)] < 0)
        good &= (objects[beside] < 0) & (index_of(led, beside * len(nodes) + to) >= 0)
        objects[beside[good]] = to[good]
    # A block that its own handles lead into houses its object, whatever its name says.
    own = np.sort(block[node == nodes.of_block[block]])
    houses = beside[(objects[beside] < 0) & (index_of(own, beside) >= 0)]
    blocks.houses[houses] = True
    objects[houses] = nodes.of_block[houses]
    beside = beside[~blocks.houses[beside]]
    claimed = np.bincount(objects[beside][objects[beside] >= 0], minlength=len(nodes))
    shared = (objects[beside] >= 0) & (claimed[np.maximum(objects[beside], 0)] > 1)
    objects[beside[shared]] = -1
    return objects
