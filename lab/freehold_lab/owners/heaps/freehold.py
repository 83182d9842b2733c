"""The blocks of Freehold's pool of the process, which its malloc is over, too.

Its small blocks lie in slabs of 64 KiB. memory/detail/slab.hpp says what is in the header of one, slab_cache.hpp what
in the record of its chunk, slab_heap.hpp and thread_heap.hpp what a thread's heap is.
"""

import numpy as np

from freehold_lab.owners.heaps import freehold_free, freehold_large
from freehold_lab.owners.heaps.freehold_free import (
    CLASSES,
    GRAIN,
    HEAP_BYTES,
    LARGEST_FINE,
    MOST_IN_BATCH,
    PAGE_OF_SLAB,
    SLAB,
)
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.memory import Addresses, Flags, Image, Words
from freehold_lab.owners.tables.modules import Module, anonymous
from freehold_lab.owners.tables.type_information import is_inside

HEADER = 128
# Where the members of a slab are.
HOME, CLASS, FIRST_OF_CHUNK, COUNT_OF_CHUNK, OPENED_OF_CHUNK, SEAL = 0, 16, 24, 48, 56, 112
MOST_IN_CHUNK = 32
# Where the members of a thread's heap are.
LIST_OF_HEAPS, NEXT_HEAP = 4560, 4568  # the list of all heaps begins with the first of them
LATER_IN_HARDENED = 16


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
    hardened = are_hardened(image, slabs, classes)
    large = freehold_large.read(image, modules, bool(hardened.any()))
    in_use = ~is_inside(large.other, slabs)  # else its header is left there from earlier
    slabs, classes, hardened = slabs[in_use], classes[in_use], hardened[in_use]
    heap = _of_slabs(slabs, classes)
    homes = _homes(image, slabs, LATER_IN_HARDENED if hardened.any() else 0)
    if hardened.any():
        heap.faults.append("which blocks of a hardened program are free cannot be read")
    elif len(slabs):
        freehold_free.mark(image, heap, slabs, homes)
    order = np.argsort(np.concatenate([heap.starts, large.starts]))
    heap.starts = np.concatenate([heap.starts, large.starts])[order]
    heap.ends = np.concatenate([heap.ends, large.ends])[order]
    heap.used = np.concatenate([heap.used, large.used])[order]
    own = [np.stack([slabs, slabs + SLAB], 1), np.stack([homes, homes + HEAP_BYTES], 1), large.private]
    heap.private = np.concatenate(own)
    heap.private = heap.private[np.argsort(heap.private[:, 0])]
    return heap


def _of_slabs(slabs: Addresses, classes: Addresses) -> Heap:
    """Returns the blocks of the slabs, as if all were in use."""
    sizes = np.array([bytes_of_class(each) for each in range(CLASSES)], np.int64)
    # A block is aligned as its size is, up to a page.
    first = -(-HEADER // np.minimum(sizes & -sizes, PAGE_OF_SLAB)) * np.minimum(sizes & -sizes, PAGE_OF_SLAB)
    count = ((SLAB - first) // sizes)[classes]
    number = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    starts = np.repeat(slabs + first[classes], count) + number * np.repeat(sizes[classes], count)
    return Heap("Freehold's pool", starts, starts + np.repeat(sizes[classes], count), np.ones(len(starts), bool))


def are_hardened(image: Image, slabs: Addresses, classes: Addresses) -> Flags:
    """Says of each slab whether a hardened program made it. Others leave in these places what was there before, which
    may look alike in one of them; but a program has one secret number for all of its seals."""
    sizes = np.array([bytes_of_class(each) for each in range(CLASSES)], np.uint64)
    noted = image.words(slabs + CLASS) >> np.uint64(32) & np.uint64(0xFFFF)
    seals = image.words(slabs + SEAL)
    is_like = (noted == sizes[classes]) & (seals != 0)
    _, number, count = np.unique(seals * _inverse(slabs + SEAL | 1), return_inverse=True, return_counts=True)
    found: Flags = is_like & ((count[number] > 1) | is_like.all())
    return found


def _inverse(odd: Addresses) -> Words:
    """Returns the numbers that give 1 when they are multiplied with those, as 64 bits have it."""
    numbers = odd.view(np.uint64)
    inverse = numbers  # right in 3 bits; each step doubles them
    for _ in range(5):
        inverse = inverse * (np.uint64(2) - numbers * inverse)
    return inverse


def _homes(image: Image, slabs: Addresses, later: int) -> Addresses:
    """Returns all heaps of the pools that have these slabs: also a heap without a slab may keep blocks it has freed."""
    waiting = [int(each) for each in np.unique(image.words(slabs + HOME).view(np.int64)) if each]
    waiting += [first for each in waiting if (first := image.word(image.word(each + later + LIST_OF_HEAPS)))]
    found = set()
    for each in waiting:
        if each and each not in found:
            found.add(each)
            waiting.append(image.word(each + later + NEXT_HEAP))
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
