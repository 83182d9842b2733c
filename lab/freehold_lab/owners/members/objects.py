"""Where the walk begins: at every object with an owner, and every object with virtual functions, whose type the debug
information knows."""

import re
from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.graph.blocks import Blocks, Objects
from freehold_lab.owners.graph.nodes import LEAST_SLACK, Nodes
from freehold_lab.owners.image.memory import Addresses, Flags, Image
from freehold_lab.owners.members.asking import Members
from freehold_lab.owners.members.walking import Exact, Walk
from freehold_lab.owners.tables import libraries, naming
from freehold_lab.owners.tables.type_information import Tables

# Control blocks whose object beside them is one of just that type, and no array.
OF_ONE = re.compile(r"_Sp_counted_ptrI|default_delete")


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
    count = len(tables.names)
    object_shape, own_shape = np.full(count, -1), np.full(count, -1)
    first, is_array, is_one = np.zeros(count, np.int64), np.zeros(count, bool), np.zeros(count, bool)
    of_blocks, used = np.unique(blocks.table[alive]), np.unique(np.append(table[other], blocks.table[alive]))
    of_object = {int(each): naming.object_type(tables.names[each]) for each in of_blocks}
    of_table = {int(each): naming.demangled(tables.names[each]) for each in used}
    members.ask([*of_object.values(), *of_table.values()])
    for each, name in of_table.items():
        own_shape[each] = _number(members, name)
        is_array[each] = naming.OF_ARRAY.match(name) is not None
    for each, name in of_object.items():
        layout = libraries.layout(tables.names[each])
        assert layout is not None  # it is that of a control block
        object_shape[each] = number = _number(members, name)
        # A block of Freehold's says itself where the object is.
        alignment = 1 if layout.policy or number < 0 else members.shapes[number].alignment
        first[each] = -(-layout.object // alignment) * alignment
        is_one[each] = OF_ONE.search(tables.names[each]) is not None
    size = np.array([each.size for each in members.shapes] + [0], np.int64)

    def in_node(node: Addresses, shape: Addresses, is_alone: Flags) -> Known:
        slack = nodes.ends[node] - nodes.starts[node] - size[shape]
        return Known(nodes.starts[node], shape, is_alone | (slack < np.minimum(LEAST_SLACK, size[shape])))

    of_inside, of_alive, of_plain = (blocks.table[each] for each in (inside, alive, plain))
    return [
        Known(blocks.addresses[inside] + first[of_inside], object_shape[of_inside], np.zeros(len(inside), bool)),
        Known(blocks.addresses[alive], own_shape[of_alive], ~is_array[of_alive]),
        in_node(object_node[plain], object_shape[of_plain], is_one[of_plain]),
        in_node(other, own_shape[table[other]], np.zeros(len(other), bool)),
    ]


def _number(members: Members, type: str) -> int:
    number = members.number(type)
    return -1 if number is None else number
