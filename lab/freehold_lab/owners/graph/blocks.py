"""Control blocks: words that lead to a block's table of virtual functions, with counts behind them that can be."""

from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.heaps import freehold_free
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.memory import WORD, Addresses, Flags, Image, Segment
from freehold_lab.owners.tables import freehold, libraries
from freehold_lab.owners.tables.type_information import Tables, index_of, leading_to

MOST = 1 << 24  # owners, or weak pointers
LEAST_OF_BATCH = 1 << 16  # owners that a batch of freed blocks seems to have, as Freehold's pool writes one down
COPY = 1  # what is added to the address of a block of Freehold's by a handle that is counted apart


@dataclass
class Blocks:
    """Sorted by address."""

    addresses: Addresses
    table: Addresses  # index in the tables
    owners: Addresses
    weak: Addresses
    houses: Flags  # the object is in the block
    outside: Flags  # in no block of the heap: how far it goes is known from its table alone

    def __len__(self) -> int:
        return len(self.addresses)

    def at(self, addresses: Addresses) -> Addresses:
        """Returns the index of the block at each address, or -1."""
        return index_of(self.addresses, addresses)

    def led_to(self, words: Addresses) -> Addresses:
        """Returns the index of the block that a handle with each of the words leads to, or -1."""
        found = self.at(words)
        marked = np.flatnonzero((found < 0) & (words % WORD == COPY))
        found[marked] = self.at(words[marked] - COPY)
        return found


@dataclass
class Objects:
    """Objects with virtual functions, control blocks among them: where their first words are, and which table's."""

    at: Addresses
    table: Addresses


def objects(segments: list[Segment], tables: Tables) -> Objects:
    """Returns every word in the segments that leads to a table."""
    at, to = leading_to(segments, tables.addresses)
    return Objects(at, tables.index(to))


def find(image: Image, tables: Tables, candidates: Objects, heap: Heap | None, stacks: Addresses) -> Blocks:
    """Returns the blocks among the candidates. `stacks` are rows of start and end: no block lives there."""
    layouts = [None if base else libraries.layout(name) for name, base in zip(tables.names, tables.bases, strict=True)]
    is_block = np.array([each is not None for each in layouts], bool)
    mine = is_block[candidates.table]
    at, table = candidates.at[mine], candidates.table[mine]
    owners, weak = np.zeros(len(at), np.int64), np.zeros(len(at), np.int64)
    houses, is_libcxx = np.zeros(len(at), bool), np.zeros(len(at), bool)
    for layout in {each for each in layouts if each}:
        same = np.array([each == layout for each in layouts], bool)[table]
        at[same] -= layout.table
        if layout.policy:
            owners[same], weak[same] = freehold.counts(image, at[same], layout.policy)
            weak[same] += owners[same] > 0  # as the others have it, of which this is taken away again
        else:
            owners[same] = _count(image, at[same] + layout.owners, layout.width) - layout.least
            weak[same] = _count(image, at[same] + layout.observers, layout.width) - layout.least
        houses[same], is_libcxx[same] = layout.houses, layout.library == "libc++"
    can_be = (owners >= 0) & (owners < MOST) & (weak >= 1) & (weak < MOST)
    outside = np.ones(len(at), bool)
    if heap is not None:
        index = heap.index(at)
        outside = index < 0
        can_be &= outside | heap.used[np.maximum(index, 0)]
        many = np.flatnonzero(can_be & ~outside & (owners >= LEAST_OF_BATCH))
        can_be[many] = ~freehold_free.are_batches(image, heap, at[many])
    for start, end in stacks:
        can_be &= (at < start) | (at >= end)
    # Where it is not known what is free, a block that no word leads to is; and so is one of libc++, which frees a block
    # without counting the last weak pointer down, that looks as if it had a weak pointer left.
    can_be &= ~(outside & is_libcxx & (owners == 0) & (weak == 1))
    asked = np.flatnonzero(can_be & outside)
    can_be[asked] = _is_led_to(image, at[asked])
    order = np.argsort(at)
    order = order[can_be[order]]
    # While there are owners they together hold one weak count.
    weak -= owners > 0
    return Blocks(at[order], table[order], owners[order], weak[order], houses[order], outside[order])


def _is_led_to(image: Image, blocks: Addresses) -> Flags:
    """Says of each block whether a word leads to it."""
    writable = [each for each in image.segments if each.is_writable]
    _, led = leading_to(writable, np.concatenate([blocks, blocks + COPY]))
    return np.isin(blocks, led) | np.isin(blocks + COPY, led)


def _count(image: Image, addresses: Addresses, width: int) -> Addresses:
    words = image.words(addresses // WORD * WORD)
    if width == WORD:
        return words.view(np.int64)
    upper = addresses % WORD != 0
    half = np.where(upper, words >> np.uint64(32), words & np.uint64(0xFFFFFFFF))
    return half.astype(np.uint32).view(np.int32).astype(np.int64)
