"""The nodes of the graph: the blocks of the heap, and the control blocks that are parts of larger ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.graph.blocks import Blocks, Objects
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.heaps.lookup import Places
from freehold_lab.owners.image.memory import Addresses, Flags, Image
from freehold_lab.owners.tables import code, freehold, libraries
from freehold_lab.owners.tables.type_information import Tables

UNKNOWN_SIZE = 64  # bytes that are taken for a block's where its code does not say
LEAST_SLACK = 16  # bytes: an allocator adds fewer than that to what was asked for, or so it is taken


@dataclass
class Nodes:
    """First those of the heap, then the control blocks inside these or elsewhere. Each kind is sorted by address."""

    starts: Addresses
    ends: Addresses
    whole: Places  # those of the heap
    parts: Places
    of_block: Addresses  # the node of each control block
    block: Addresses  # the control block of each node, or -1

    def __len__(self) -> int:
        return len(self.starts)

    def index(self, addresses: Addresses) -> NDArray[np.int32]:
        """Returns the node that each address is in, or -1."""
        found = self.whole.index(addresses)
        if len(self.parts.starts):
            part = self.parts.index(addresses)
            found[part >= 0] = part[part >= 0] + len(self.whole.starts)
        return found

    def owners(self, object_node: Addresses) -> Addresses:
        """Returns for each node the block whose object it is, or which it is itself; or -1. `object_node` is the node
        of each block's object, or -1."""
        found = self.block.copy()
        known = np.flatnonzero(object_node >= 0)
        found[object_node[known]] = known
        return found

    def tables(self, objects: Objects) -> Addresses:
        """Returns for each node the table of virtual functions at its start, or -1."""
        found = np.full(len(self), -1)
        node = self.index(objects.at)
        first = (node >= 0) & (self.starts[np.maximum(node, 0)] == objects.at)
        found[node[first]] = objects.table[first]
        return found


def find(image: Image, tables: Tables, blocks: Blocks, heap: Heap | None) -> Nodes:
    none = np.empty(0, np.int64)
    starts, ends = (heap.starts[heap.used], heap.ends[heap.used]) if heap else (none, none)
    is_whole = np.zeros(len(blocks), bool)
    heap_blocks = Places(starts, ends)
    place = heap_blocks.index(blocks.addresses)
    inside = place >= 0
    is_whole[inside] = starts[place[inside]] == blocks.addresses[inside]
    length, is_array = _lengths(image, tables, blocks)
    # What the allocator has added behind a control block is no part of it: there are words of what was freed.
    known = is_whole & (length > 0) & ~is_array
    slack = ends[place[known]] - starts[place[known]] - length[known]
    ends[place[known]] -= np.where((slack > 0) & (slack < LEAST_SLACK), slack, 0)
    parts, length = blocks.addresses[~is_whole], length[~is_whole]
    length[length == 0] = UNKNOWN_SIZE
    part_ends = np.minimum(parts + length, np.append(parts[1:], 1 << 62)[: len(parts)])
    # The code of an array's control block may tell more than that: then it ends where the array does.
    around = place[~is_whole]
    part_ends = np.minimum(part_ends, np.where(around >= 0, np.append(heap_blocks.ends, 0)[around], 1 << 62))
    whole = len(starts)
    of_block = np.where(is_whole, place, 0)
    of_block[~is_whole] = whole + np.arange(len(parts))
    block = np.full(whole + len(parts), -1)
    block[of_block] = np.arange(len(blocks))
    return Nodes(
        np.concatenate([starts, parts]),
        np.concatenate([ends, part_ends]),
        heap_blocks,
        Places(parts, part_ends),
        of_block,
        block,
    )


def _lengths(image: Image, tables: Tables, blocks: Blocks) -> tuple[Addresses, Flags]:
    """Returns the bytes of each control block, or 0 where they are not known, and whether its elements come on top."""
    table, which = np.unique(blocks.table, return_inverse=True)
    lengths = [block_size(image, tables, int(each)) for each in table]
    are_arrays = [layout.is_array for each in table if (layout := libraries.layout(tables.names[each]))]
    return np.array(lengths, np.int64)[which], np.array(are_arrays, bool)[which]


def block_size(image: Image, tables: Tables, table: int) -> int:
    """Returns the bytes of a control block with this table, or 0 if neither its type nor its code tells."""
    layout = libraries.layout(tables.names[table])
    assert layout is not None  # it is that of a control block
    if layout.policy:
        return image.word(int(tables.addresses[table]) + freehold.SIZE)
    return layout.size or code.size_of(image, int(tables.addresses[table]), layout.library)
