"""The blocks of Freehold's pool of the process, which its malloc is over, too.

It lies in slabs of 64 KiB. memory/detail/slab.hpp says what is in the header of one, slab_cache.hpp what in the record
of its chunk, slab_heap.hpp and thread_heap.hpp what a thread's heap is. A block is free if it is in a list of a heap
or a slab, in a batch on its way home, or in a page that was not cut yet.
"""

import numpy as np

from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.heaps.lookup import Places
from freehold_lab.owners.image.memory import WORD, Addresses, Image
from freehold_lab.owners.tables.modules import Module, anonymous

SLAB = 64 << 10
HEADER = 128
GRAIN, LARGEST_FINE = 16, 1024  # of slab_class
CLASSES = LARGEST_FINE // GRAIN + 1 + 3 * 8
PAGE_OF_SLAB = 4096
# Where the members of a slab are.
HOME, CLASS, FIRST_OF_CHUNK, COUNT_OF_CHUNK, OPENED_OF_CHUNK = 0, 16, 24, 48, 56
FREE, UNCUT, BATCHES, SEAL = 64, 80, 88, 112
MOST_IN_CHUNK, MOST_IN_BATCH = 32, 32
# Where the members of a thread's heap are, behind a list for each class.
LIST_OF_HEAPS, NEXT_HEAP = 4536, 4544  # the list of all heaps begins with the first of them
REMOTE, REMOTE_ENTRIES, REMOTE_BYTES, INBOX = 4584, 64, 80, 9728
HEAP_BYTES = 9792
HOLDS_BATCH = 1 << 12  # in a place of a batch


def bytes_of_class(number: int) -> int:
    if number == 0:
        return GRAIN
    if number <= LARGEST_FINE // GRAIN:
        return number * GRAIN
    coarse = number - LARGEST_FINE // GRAIN - 1
    return (coarse % 8 + 9) << (7 + coarse // 8)


def read(image: Image, modules: list[Module]) -> Heap | None:
    """Returns the heap, or None if the program has none."""
    slabs, classes = _slabs(image, modules)
    if len(slabs) == 0:
        return None
    sizes = np.array([bytes_of_class(each) for each in range(CLASSES)], np.int64)
    # A block is aligned as its size is, up to a page.
    first = -(-HEADER // np.minimum(sizes & -sizes, PAGE_OF_SLAB)) * np.minimum(sizes & -sizes, PAGE_OF_SLAB)
    counts = (SLAB - first) // sizes
    count = counts[classes]
    number = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    starts = np.repeat(slabs + first[classes], count) + number * np.repeat(sizes[classes], count)
    heap = Heap("Freehold's pool", starts, starts + np.repeat(sizes[classes], count), np.ones(len(starts), bool))
    homes = _homes(image, slabs)
    heap.private = np.concatenate([np.stack([slabs, slabs + SLAB], 1), np.stack([homes, homes + HEAP_BYTES], 1)])
    heap.private = heap.private[np.argsort(heap.private[:, 0])]
    hardened = image.words(slabs + SEAL) != 0
    if hardened.any():
        heap.faults.append("which blocks of a hardened program are free cannot be read")
    _Free(image, heap, slabs[~hardened], homes).mark()
    return heap


def _homes(image: Image, slabs: Addresses) -> Addresses:
    """Returns all heaps of the pools that have these slabs: also a heap without a slab may keep blocks it has freed."""
    waiting = [int(each) for each in np.unique(image.words(slabs + HOME).view(np.int64)) if each]
    waiting += [first for each in waiting if (first := image.word(image.word(each + LIST_OF_HEAPS)))]
    found = set()
    for each in waiting:
        if each and each not in found:
            found.add(each)
            waiting.append(image.word(each + NEXT_HEAP))
    return np.array(sorted(found), np.int64)


def _slabs(image: Image, modules: list[Module]) -> tuple[Addresses, Addresses]:
    """Returns the slabs in use, and the classes of their blocks."""
    can_be = [
        np.arange(-(-each.start // SLAB) * SLAB, each.end - SLAB + 1, SLAB, dtype=np.int64)
        for each in anonymous(image, modules)
    ]
    slabs = np.concatenate([np.empty(0, np.int64), *can_be])
    word = image.words(slabs + CLASS)
    classes = (word & np.uint64(0xFFFF)).astype(np.int64)
    batch = (word >> np.uint64(16) & np.uint64(0xFFFF)).astype(np.int64)
    first = image.words(slabs + FIRST_OF_CHUNK).view(np.int64)
    number = (slabs - first) // SLAB
    good = (classes < CLASSES) & (batch <= MOST_IN_BATCH) & (first % SLAB == 0) & (first > 0)
    good &= (number >= 0) & (number < MOST_IN_CHUNK)
    slabs, classes, first, number = slabs[good], classes[good], first[good], number[good].astype(np.uint64)
    counts = image.words(first + COUNT_OF_CHUNK)
    length, spare = counts & np.uint64(0xFFFFFFFF), counts >> np.uint64(32)
    opened = image.words(first + OPENED_OF_CHUNK) & np.uint64(0xFFFFFFFF)
    one = np.uint64(1)
    good = (number < length) & (opened >> number & one == 1) & (spare >> number & one == 0)
    order = np.argsort(slabs[good])
    return slabs[good][order], classes[good][order]


class _Free:
    """Marks the blocks that are free."""

    def __init__(self, image: Image, heap: Heap, slabs: Addresses, homes: Addresses) -> None:
        self.image, self.heap, self.slabs, self.homes = image, heap, slabs, homes
        self.places = Places(heap.starts, heap.ends)

    def mark(self) -> None:
        lists = (self.homes[:, None] + WORD * np.arange(CLASSES)).reshape(-1)
        self._chase(self.image.words(np.concatenate([lists, self.slabs + FREE])).view(np.int64))
        self._pages()
        for slab in self.slabs:
            self._batches(self.image.word(int(slab) + BATCHES))
        for home in self.homes:
            self._batches(self.image.word(int(home) + INBOX))
            self._remote(int(home))

    def _free(self, addresses: Addresses) -> Addresses:
        """Marks the blocks that begin at the addresses. Returns: those that do."""
        index = self.places.index(addresses)
        begins = (index >= 0) & (self.heap.starts[np.maximum(index, 0)] == addresses)
        self.heap.used[index[begins]] = False
        marked: Addresses = addresses[begins]
        return marked

    def _chase(self, heads: Addresses) -> None:
        """Marks the blocks of all the lists, one of each at a time."""
        blocks = heads
        for _ in range(len(self.heap.starts)):
            blocks = self._free(blocks[blocks != 0])
            if len(blocks) == 0:
                return
            blocks = self.image.words(blocks).view(np.int64)

    def _pages(self) -> None:
        uncut = (self.image.words(self.slabs + UNCUT) & np.uint64(0xFFFF)).astype(np.int64)
        slab = np.searchsorted(self.slabs, self.heap.starts, "right") - 1
        inside = (
            (slab >= 0) & (self.heap.starts < self.slabs[np.maximum(slab, 0)] + SLAB) if len(self.slabs) else slab > 0
        )
        page = (self.heap.starts[inside] - self.slabs[slab[inside]]) // PAGE_OF_SLAB
        self.heap.used[np.flatnonzero(inside)[uncut[slab[inside]] >> page & 1 == 1]] = False

    def _batches(self, batch: int) -> None:
        """Marks the blocks of a list of batches: those that are named, and those that name them."""
        waiting = [(batch, True)] if batch else []
        for each, is_linked in waiting:
            if len(self._free(np.array([each]))) == 0 or len(waiting) > len(self.heap.starts):
                continue
            head = self.image.bytes(each, 10 + 2 * MOST_IN_BATCH)
            link, length = int.from_bytes(head[:WORD], "little"), head[WORD]
            for place in np.frombuffer(head[10:], np.uint16)[:length]:
                named = each // SLAB * SLAB + int(place & (HOLDS_BATCH - 1)) * GRAIN
                if place & HOLDS_BATCH:
                    waiting.append((named, False))
                else:
                    self._free(np.array([named]))
            # One that is named is in no list: what the program wrote there last may be the address of a block in use.
            if link and is_linked:
                waiting.append((link, True))

    def _remote(self, home: int) -> None:
        """Marks the blocks of others that a heap has freed and not sent home."""
        raw = self.image.bytes(home + REMOTE, REMOTE_ENTRIES * REMOTE_BYTES)
        for at in range(0, len(raw), REMOTE_BYTES):
            origin, length = np.frombuffer(raw[at : at + 2 * WORD], np.uint64)
            places = np.frombuffer(raw[at + 2 * WORD : at + REMOTE_BYTES], np.uint16)[: int(length)]
            self._free(int(origin) + places.astype(np.int64) * GRAIN)
