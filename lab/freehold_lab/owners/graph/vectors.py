"""Elements of vectors: three words side by side lead to the start of a block, to its last element, and to its end.

What is behind the last element may be alive in another container that looks alike, so it is not called dead. But what
is before it is alive: not a handle that was there before the memory was freed and handed out again.
"""

import numpy as np

from freehold_lab.owners.graph.handles import Handles
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.words import Region, Words
from freehold_lab.owners.image.memory import WORD, Flags, Image


def elements(image: Image, nodes: Nodes, words: Words, handles: Handles) -> Flags:
    """Says of each handle whether it is in an element of a vector."""
    asked = np.zeros(len(nodes), bool)
    asked[handles.source[handles.source >= 0]] = True
    to = words.target
    first = np.flatnonzero((words.region != Region.DEAD) & asked[to] & (words.to == nodes.starts[to]))
    begin, end = words.to[first], nodes.ends[to[first]]
    last, room = (image.words(words.at[first] + each * WORD).view(np.int64) for each in (1, 2))
    is_vector = (begin < last) & (last <= room) & (room <= end)
    known = np.zeros(len(nodes), np.int64)
    np.maximum.at(known, to[first][is_vector], last[is_vector])
    return (handles.source >= 0) & (handles.at < known[np.maximum(handles.source, 0)])
