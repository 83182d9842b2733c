"""Where the walk begins: at every object with an owner, and every object with virtual functions, whose type the debug
information knows."""

import re
from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.graph.blocks import Blocks, Objects
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.image.memory import Addresses, Flags, Image
from freehold_lab.owners.members.asking import Members
from freehold_lab.owners.members.walking import Exact, Walk
from freehold_lab.owners.tables import libraries, naming
from freehold_lab.owners.tables.type_information import Tables

# Control blocks whose object beside them is one of just that type, and no array.
OF_ONE = re.compile(r"_Sp_counted_ptrI|default_delete")
LEAST_SLACK = 16  # bytes that malloc does not add to what was asked for


@dataclass
class Known:
    """Objects whose types are known, and control blocks."""

    at: Addresses
    shape: Addresses  # the number of it
    is_alone: Flags  # there is nothing behind it in its memory


def walk(
    image: Image,
    tables: Tables,
    blocks: Blocks,
    nodes: Nodes,
    objects: Objects,
    object_node: Addresses,
    members: Members,
) -> Exact:
    found = Walk(image, nodes, members.shapes)
    for known in _known(tables, blocks, nodes, objects, object_node, members):
        for each in np.unique(known.shape[known.shape >= 0]):
            mine = known.shape == each
            found.add(int(each), known.at[mine])
            if size := members.shapes[each].size:
                found.tail(known.at[mine & known.is_alone], size)
    return found.run()


def _known(
    tables: Tables, blocks: Blocks, nodes: Nodes, objects: Objects, object_node: Addresses, members: Members
) -> list[Known]:
    table = nodes.tables(objects)
    alive = np.flatnonzero((blocks.owners > 0) & (object_node >= 0))
    inside, beside = alive[blocks.houses[alive]], alive[~blocks.houses[alive]]
    # Objects beside their block, and those without one, have the type that their own table says, if they have one.
    plain = beside[table[object_node[beside]] < 0]
    other = np.flatnonzero((table >= 0) & (nodes.block < 0))
    blocks_table, layouts = blocks.table, [libraries.layout(each) for each in tables.names]
    of_block = [naming.object_type(each) if layout else "" for each, layout in zip(tables.names, layouts, strict=True)]
    of_table = [naming.demangled(each) for each in tables.names]
    ours = {of_block[each] for each in np.unique(blocks_table[alive])}
    members.ask([*ours, *(of_table[each] for each in np.unique(np.append(table[other], blocks_table[alive])))])
    object_shape, own_shape = (
        np.array([-1 if (number := members.number(each)) is None else number for each in names], np.int64)
        for names in (of_block, of_table)
    )
    alignment = np.array([each.alignment for each in members.shapes] + [1], np.int64)[object_shape]
    first = np.array([each.object if each else 0 for each in layouts], np.int64)
    own = np.array([each is not None and each.policy != "" for each in layouts], bool)  # says it itself
    first = np.where(own, first, -(-first // alignment) * alignment)
    is_array = np.array([naming.OF_ARRAY.match(each) is not None for each in of_table], bool)
    size = np.array([each.size for each in members.shapes] + [0], np.int64)
    of_one = np.array([OF_ONE.search(each) is not None for each in tables.names], bool)

    def in_node(node: Addresses, shape: Addresses, is_alone: Flags) -> Known:
        slack = nodes.ends[node] - nodes.starts[node] - size[shape]
        return Known(nodes.starts[node], shape, is_alone | (slack < np.minimum(LEAST_SLACK, size[shape])))

    return [
        Known(
            blocks.addresses[inside] + first[blocks_table[inside]],
            object_shape[blocks_table[inside]],
            np.zeros(len(inside), bool),
        ),
        Known(blocks.addresses[alive], own_shape[blocks_table[alive]], ~is_array[blocks_table[alive]]),
        in_node(object_node[plain], object_shape[blocks_table[plain]], of_one[blocks_table[plain]]),
        in_node(other, own_shape[table[other]], np.zeros(len(other), bool)),
    ]
