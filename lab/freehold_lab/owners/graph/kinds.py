"""Which handles own, and which are weak.

First a block's own counts decide: once all weak pointers are known, each other handle owns. Then the place decides,
which is a type and the distance from the start of the object: if more handles in one place lead to one block than the
block has owners, that place is a weak pointer's. What the counts say of one object of a type holds for all, unless they
contradict each other. Handles in their own object are weak, as enable_shared_from_this has it, unless there are more of
them than weak pointers.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.graph.blocks import Blocks
from freehold_lab.owners.graph.handles import Handles
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.typed_places import TypedPlaces
from freehold_lab.owners.graph.words import Region
from freehold_lab.owners.image.memory import Addresses, Flags

MOST_ROUNDS = 8


class Kind(IntEnum):
    UNKNOWN = 0  # it may own
    OWNER = 1
    WEAK = 2


Kinds = NDArray[np.int8]


def find(
    blocks: Blocks,
    nodes: Nodes,
    object_node: Addresses,
    handles: Handles,
    places: TypedPlaces,
    told: Kinds,
    trusted: Flags,
) -> Kinds:
    """Returns the kind of each handle. `told` is what debug information says of it, if it does."""
    place = places.of_handle
    count = len(blocks)
    kinds = np.zeros(len(handles), np.int8)
    alive = handles.region != Region.DEAD
    in_node = handles.region == Region.NODE
    own = in_node & (nodes.owners(object_node)[np.maximum(handles.source, 0)] == handles.block)
    votes = _crowds(blocks, handles, place, in_node)
    kinds[in_node] = told[in_node]
    # Where those of which it is told are all owners that there are, the others are left over.
    all_told = handles.count(count, in_node & (told == Kind.OWNER)) >= blocks.owners
    kinds[in_node & (told == Kind.UNKNOWN) & all_told[handles.block]] = Kind.WEAK
    for round in range(MOST_ROUNDS):
        no_weak = handles.count(count, alive & (kinds == Kind.WEAK)) >= blocks.weak
        no_owner = handles.count(count, alive & (kinds == Kind.OWNER)) >= blocks.owners
        unknown = in_node & (kinds == Kind.UNKNOWN)
        owns = unknown & no_weak[handles.block] & ~no_owner[handles.block]
        # A handle in a member may be left over, of an optional that is empty: then another is the owner.
        sure = handles.count(count, alive & trusted & (kinds == Kind.OWNER)) >= blocks.owners
        is_weak = unknown & sure[handles.block] & ~no_weak[handles.block]
        typed = place >= 0
        np.add.at(votes, (place[owns & typed], 0), 1)
        np.add.at(votes, (place[is_weak & typed], 1), 1)
        said = votes[np.maximum(place, 0)] > 0
        undecided = unknown & typed & ~owns & ~is_weak
        owns |= undecided & said[:, 0] & ~said[:, 1]
        is_weak |= undecided & said[:, 1] & ~said[:, 0]
        kinds[owns], kinds[is_weak] = Kind.OWNER, Kind.WEAK
        if round == 0:
            itself = own & (kinds == Kind.UNKNOWN)
            few = handles.count(count, itself) <= blocks.weak - handles.count(count, alive & (kinds == Kind.WEAK))
            itself &= few[handles.block]
            kinds[itself] = Kind.WEAK
        elif not (owns | is_weak).any():
            break
    no_weak = handles.count(count, alive & (kinds == Kind.WEAK)) >= blocks.weak
    kinds[(kinds == Kind.UNKNOWN) & no_weak[handles.block]] = Kind.OWNER
    kinds[(kinds == Kind.UNKNOWN) & (blocks.owners[handles.block] == 0)] = Kind.WEAK
    return kinds


def _crowds(blocks: Blocks, handles: Handles, place: Addresses, which: Flags) -> Addresses:
    """Returns the votes of blocks to which more handles in one place lead than they have owners, or weak pointers."""
    votes = np.zeros((int(place.max(initial=-1)) + 2, 2), np.int64)
    typed = which & (place >= 0)
    pairs, number = np.unique(handles.block[typed] * len(votes) + place[typed], return_counts=True)
    block, where = pairs // len(votes), pairs % len(votes)
    np.add.at(votes, (where, 1), (number > blocks.owners[block]) & (blocks.owners[block] > 0))
    np.add.at(votes, (where, 0), (number > blocks.weak[block]) & (blocks.weak[block] > 0))
    return votes
