"""A small heap whose words a test gives: its blocks lie side by side, as in Freehold's slabs."""

import numpy as np

from freehold_lab.owners.graph import words
from freehold_lab.owners.graph.blocks import Blocks
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.words import Words
from freehold_lab.owners.heaps.lookup import Places
from freehold_lab.owners.image.memory import WORD, Image, Segment, Thread

HEAP = 0x10000
OBJECT = 16  # where the object in a control block begins


class Heap:
    """Begins with the control blocks of as many objects as `types` says, each with one owner: their types, as indexes
    of tables. The other blocks are plain memory."""

    def __init__(self, sizes, types, memory, registers=()):
        ends = HEAP + np.cumsum(sizes)
        self.starts = ends - sizes
        segment = Segment(HEAP, int(ends[-1]), "rw-p", data=np.zeros(int(sum(sizes)), np.uint8))
        for at, word in memory(self).items():
            segment.words[(at - HEAP) // WORD] = word
        self.image = Image("memory", "x86-64", [segment], [Thread(1, 0, 0, registers)])
        none, count = np.empty(0, np.int64), len(types)
        own, ones = np.arange(count), np.ones(count, np.int64)
        self.blocks = Blocks(self.starts[:count], np.array(types), ones, 0 * ones, ones > 0, ones < 0)
        block = np.append(own, np.full(len(sizes) - count, -1))
        self.nodes = Nodes(self.starts, ends, Places(self.starts, ends), Places(none, none), own, block)
        self.words: Words = words.find(self.image, [segment], [], None, self.blocks, self.nodes)

    def object(self, number):
        return int(self.starts[number]) + OBJECT

    def begin(self, number):
        return int(self.starts[number])

    def at(self, which):
        """Returns where those of the words are."""
        return self.words.at[which].tolist()


def in_row(at, *words):
    return {at + number * WORD: word for number, word in enumerate(words)}
