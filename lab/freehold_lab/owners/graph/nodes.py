"""The nodes of the graph: the blocks of the heap, and the control blocks that are parts of larger ones."""

from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.graph.blocks import Blocks
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.memory import Addresses, Image
from freehold_lab.owners.tables import code, libraries
from freehold_lab.owners.tables.type_information import Tables

UNKNOWN_SIZE = 64  # bytes that are taken for a block's where its code does not say


@dataclass
class Nodes:
    """First those of the heap, then the control blocks inside these or elsewhere. Each kind is sorted by address."""

    starts: Addresses
    ends: Addresses
    whole: int  # number of those of the heap
    of_block: Addresses  # the node of each control block
    block: Addresses  # the control block of each node, or -1

    def __len__(self) -> int:
        return len(self.starts)

    def index(self, addresses: Addresses) -> Addresses:
        """Returns the node that each address is in, or -1."""
        found = _within(self.starts[: self.whole], self.ends[: self.whole], addresses)
        part = _within(self.starts[self.whole :], self.ends[self.whole :], addresses)
        return np.where(part >= 0, part + self.whole, found)


def _within(starts: Addresses, ends: Addresses, addresses: Addresses) -> Addresses:
    if len(starts) == 0:
        return np.full(len(addresses), -1)
    place = np.searchsorted(starts, addresses, "right") - 1
    return np.where((place >= 0) & (addresses < ends[np.maximum(place, 0)]), place, -1)


def find(image: Image, tables: Tables, blocks: Blocks, heap: Heap | None) -> Nodes:
    none = np.empty(0, np.int64)
    starts, ends = (heap.starts[heap.used], heap.ends[heap.used]) if heap else (none, none)
    is_whole = np.zeros(len(blocks), bool)
    place = _within(starts, ends, blocks.addresses)
    inside = place >= 0
    is_whole[inside] = starts[place[inside]] == blocks.addresses[inside]
    parts = blocks.addresses[~is_whole]
    sizes = {each: _size(image, tables, int(each)) for each in np.unique(blocks.table[~is_whole])}
    length = np.array([sizes[each] for each in blocks.table[~is_whole]], np.int64)
    length[length == 0] = UNKNOWN_SIZE
    part_ends = np.minimum(parts + length, np.append(parts[1:], 1 << 62)[: len(parts)])
    whole = len(starts)
    of_block = np.where(is_whole, place, 0)
    of_block[~is_whole] = whole + np.arange(len(parts))
    block = np.full(whole + len(parts), -1)
    block[of_block] = np.arange(len(blocks))
    return Nodes(np.concatenate([starts, parts]), np.concatenate([ends, part_ends]), whole, of_block, block)


def _size(image: Image, tables: Tables, table: int) -> int:
    layout = libraries.layout(tables.names[table])
    assert layout is not None  # it is that of a control block
    return layout.size or code.size_of(image, int(tables.addresses[table]), layout.library)
