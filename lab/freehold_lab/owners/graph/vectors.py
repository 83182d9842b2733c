"""Elements of vectors: three words side by side lead to the start of a block, to its last element, and to its end.

What is behind the last element may be alive in another container that looks alike, so it is not called dead. But what
is before it is alive: not a handle that was there before the memory was freed and handed out again, as one in a member
may be, of an optional that is empty or a variant that holds something else.
"""

import numpy as np

from freehold_lab.owners.graph.handles import Handles
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.words import Region, Words
from freehold_lab.owners.image.memory import WORD, Addresses, Image

HANDLE = 2 * WORD


def of_elements(image: Image, nodes: Nodes, words: Words, handles: Handles) -> Addresses:
    """Returns for each handle that is in an element the index of the first of the three words, and -1 for others."""
    asked = np.zeros(len(nodes), bool)
    asked[handles.source[handles.source >= 0]] = True
    to = words.target
    first = np.flatnonzero((words.region != Region.DEAD) & asked[to] & (words.to == nodes.starts[to]))
    begin, end = words.to[first], nodes.ends[to[first]]
    last, room = (image.words(words.at[first] + each * WORD).view(np.int64) for each in (1, 2))
    is_vector = (begin < last) & (last <= room) & (room <= end)
    first, last = first[is_vector], last[is_vector]
    order = np.argsort(last, kind="stable")  # of two that lead to one block the longer one counts
    header, known = np.full(len(nodes), -1), np.zeros(len(nodes), np.int64)
    header[to[first[order]]], known[to[first[order]]] = first[order], last[order]
    source = np.maximum(handles.source, 0)
    # One that begins in the middle of an element may have its second word, left over, behind the last.
    aligned = (handles.at - nodes.starts[source]) % HANDLE == 0
    inside = (handles.source >= 0) & (handles.at < known[source]) & aligned
    # Each element must be a handle: of a larger one, such as a variant, a handle may be left that is none any more.
    elements = np.bincount(source[inside], minlength=len(nodes))
    is_full = elements * HANDLE == known - nodes.starts
    return np.where(inside & is_full[source], header[source], -1)
