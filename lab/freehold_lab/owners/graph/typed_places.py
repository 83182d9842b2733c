"""Places: members of a type. Two handles are in one place if their objects have one type, at one distance from its
start; or if they are elements of vectors that are in one place."""

from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.graph.blocks import Blocks, Objects
from freehold_lab.owners.graph.handles import Handles
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.words import Words
from freehold_lab.owners.image.memory import Addresses, Flags

FARTHEST = 1 << 20  # bytes from the start of a typed object to a handle in it


@dataclass
class TypedPlaces:
    of_handle: Addresses  # the number of the place of each handle; -1: its memory has no known type
    table: Addresses  # of each place: the table that the type is known by
    distance: Addresses  # bytes from the start of the node
    is_element: Flags  # whether it is that of the elements of the vector which is there
    beside: Flags  # whether the table is that of the object's control block, which is elsewhere

    def __len__(self) -> int:
        return len(self.table)


def find(
    blocks: Blocks,
    nodes: Nodes,
    objects: Objects,
    object_node: Addresses,
    words: Words,
    handles: Handles,
    vectors: Addresses,
) -> TypedPlaces:
    """`vectors` has for each handle the word that a vector begins with whose element it is, or -1."""
    kind, tables = types(blocks, nodes, objects, object_node)
    is_typed = (handles.source >= 0) & (kind[np.maximum(handles.source, 0)] >= 0)
    is_element = ~is_typed & (vectors >= 0)
    source = np.where(is_element, words.source[np.maximum(vectors, 0)], handles.source)
    at = np.where(is_element, words.at[np.maximum(vectors, 0)], handles.at)
    distance = at - nodes.starts[np.maximum(source, 0)]
    known = (source >= 0) & (kind[np.maximum(source, 0)] >= 0) & (distance >= 0) & (distance < FARTHEST)
    of_handle = np.full(len(handles), -1)
    key = (kind[np.maximum(source, 0)] * 2 + is_element) * FARTHEST + distance
    keys, of_handle[known] = np.unique(key[known], return_inverse=True)
    table = keys // FARTHEST // 2
    return TypedPlaces(of_handle, table % tables, keys % FARTHEST, keys // FARTHEST % 2 == 1, table >= tables)


def types(blocks: Blocks, nodes: Nodes, objects: Objects, object_node: Addresses) -> tuple[Addresses, int]:
    """Returns the number of each node's type, or -1, and the number from which on those are counted that are known by
    the table of an object's control block."""
    tables = 1 + max(int(blocks.table.max(initial=0)), int(objects.table.max(initial=0)))
    kind = nodes.tables(objects)
    # An object without virtual functions has the type of its control block, and so has the block itself.
    elsewhere = np.flatnonzero((object_node >= 0) & ~blocks.houses)
    plain = kind[object_node[elsewhere]] < 0
    kind[object_node[elsewhere[plain]]] = blocks.table[elsewhere[plain]] + tables
    kind[nodes.of_block] = blocks.table
    return kind, tables
