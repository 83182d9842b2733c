"""Words that lead behind a block of memory, as the ends of full vectors do. Where blocks lie side by side the next one
begins there, which such a word does not hold.

Two pointers to neighbors look alike. So the words are taken for a vector's if in each object of the type three words
are empty, or lead to the start of a block, into it, and into it or to its end; if one is not full; and if the blocks
have different sizes, as no object has that a member leads to.
"""

import numpy as np

from freehold_lab.owners.graph.blocks import Blocks, Objects
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.typed_places import FARTHEST, types
from freehold_lab.owners.graph.words import Region, Words
from freehold_lab.owners.image.memory import WORD, Addresses, Flags, Image


def of_vectors(
    image: Image, blocks: Blocks, nodes: Nodes, objects: Objects, object_node: Addresses, words: Words
) -> Flags:
    """Returns which words are the second or the third of a vector in an object whose type is known."""
    found = np.zeros(len(words.at), bool)
    near = np.flatnonzero(
        (words.region == Region.NODE) & (words.to == nodes.starts[words.target]) & np.isin(words.to, nodes.ends)
    )
    if len(near) == 0:
        return found
    kind, _ = types(blocks, nodes, objects, object_node)
    kind[nodes.of_block[blocks.owners == 0]] = -1  # destroyed
    source = words.source[near]
    distance = words.at[near] - nodes.starts[source]
    typed = (kind[source] >= 0) & (distance < FARTHEST)
    keys = kind[source[typed]] * FARTHEST + distance[typed]
    order = np.argsort(kind, kind="stable")
    at = [np.empty(0, np.int64)]
    for key in np.unique(np.concatenate([keys - WORD, keys - 2 * WORD])):
        begin, end = np.searchsorted(kind[order], (key // FARTHEST, key // FARTHEST + 1))
        at += _ends(image, nodes, nodes.starts[order[begin:end]] + key % FARTHEST)
    found[near] = np.isin(words.at[near], np.concatenate(at))
    return found


def _ends(image: Image, nodes: Nodes, at: Addresses) -> list[Addresses]:
    """Returns where the ends are, if vectors are at the addresses, which are all of one place."""
    words = np.stack([image.words(at + each * WORD).view(np.int64) for each in range(3)])
    filled = (words != 0).any(axis=0)
    at, (begin, last, room) = at[filled], words[:, filled]
    node = nodes.index(begin)
    start, end = nodes.starts[node], nodes.ends[node]
    are_vectors = (node >= 0) & (begin == start) & (begin <= last) & (last <= room) & (begin < room) & (room <= end)
    if not are_vectors.all() or not ((begin < last) & (last < end)).any() or len(np.unique(end - start)) < 2:
        return []
    return [at + WORD, at + 2 * WORD]
