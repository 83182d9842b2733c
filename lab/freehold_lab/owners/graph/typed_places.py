"""Places: members of a type. Two handles are in one place if their objects have one type, at one distance from its
start."""

from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.graph.blocks import Blocks, Objects
from freehold_lab.owners.graph.handles import Handles
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.image.memory import Addresses, Flags

FARTHEST = 1 << 20  # bytes from the start of a typed object to a handle in it


@dataclass
class TypedPlaces:
    of_handle: Addresses  # the number of the place of each handle; -1: its memory has no known type
    table: Addresses  # of each place: the table that the type is known by
    distance: Addresses  # bytes from the start of the node
    beside: Flags  # whether the table is that of the object's control block, which is elsewhere

    def __len__(self) -> int:
        return len(self.table)


def find(blocks: Blocks, nodes: Nodes, objects: Objects, object_node: Addresses, handles: Handles) -> TypedPlaces:
    tables = 1 + max(int(blocks.table.max(initial=0)), int(objects.table.max(initial=0)))
    kind = np.full(len(nodes), -1)
    node = nodes.index(objects.at)
    first = (node >= 0) & (nodes.starts[np.maximum(node, 0)] == objects.at)
    kind[node[first]] = objects.table[first]
    # An object without virtual functions has the type of its control block, and so has the block itself.
    elsewhere = np.flatnonzero((object_node >= 0) & ~blocks.houses)
    plain = kind[object_node[elsewhere]] < 0
    kind[object_node[elsewhere[plain]]] = blocks.table[elsewhere[plain]] + tables
    kind[nodes.of_block] = blocks.table
    source = handles.source
    typed = (source >= 0) & (kind[np.maximum(source, 0)] >= 0)
    distance = handles.at - nodes.starts[np.maximum(source, 0)]
    typed &= (distance >= 0) & (distance < FARTHEST)
    of_handle = np.full(len(handles), -1)
    keys, of_handle[typed] = np.unique(kind[source[typed]] * FARTHEST + distance[typed], return_inverse=True)
    return TypedPlaces(of_handle, keys // FARTHEST % tables, keys % FARTHEST, keys // FARTHEST >= tables)
