"""The blocks of musl's malloc (mallocng, since musl 1.2.1).

Blocks of one size lie in a group, which begins with the address of its record; and the record has the address of the
group.
"""

import numpy as np

from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.memory import PAGE, WORD, Addresses, Flags, Image
from freehold_lab.owners.tables.modules import Module

UNIT = 16  # bytes; sizes are multiples of it, and a group begins at one
SIZES = (
    *(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 18, 20, 25, 31),
    *(36, 42, 50, 63, 72, 84, 102, 127, 146, 170, 204, 255, 292, 340, 409, 511),
    *(584, 682, 818, 1023, 1169, 1364, 1637, 2047, 2340, 2730, 3276, 4095, 4680, 5460, 6552, 8191),
)  # in units, of the classes
OF_ITS_OWN = 63  # the class of a block that has a mapping of its own
COUNT_OF_RECORDS = 16  # where in a page of records their number is
FIRST_RECORD, RECORD = 24, 40  # where in such a page the first record is, and how many bytes each has
GROUP, MASKS, LAYOUT = 16, 24, 32  # where in a record the members are
MOST_BLOCKS = 32  # of a group
BEHIND = 4  # bytes at the end of a block's room that belong to the next one's header


def read(image: Image, modules: list[Module]) -> Heap | None:
    """Returns the heap, or None if there is none of musl's."""
    groups, records = _groups(image)
    if len(groups) == 0:
        return None
    layout = image.words(records + LAYOUT).view(np.int64)
    last, number, pages = layout & 31, layout >> 6 & 63, layout >> 12
    masks = image.words(records + MASKS)
    free = (masks | masks >> np.uint64(32)) & np.uint64(0xFFFFFFFF)
    sizes = np.array([*SIZES, *([0] * (64 - len(SIZES)))], np.int64)[number] * UNIT
    alone = number == OF_ITS_OWN
    sizes[alone] = pages[alone] * PAGE - UNIT
    good = (sizes > 0) & (last < MOST_BLOCKS)
    groups, last, sizes, free = groups[good], last[good], sizes[good], free[good]
    count = last + 1
    index = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    starts = np.repeat(groups + UNIT, count) + index * np.repeat(sizes, count)
    ends = starts + np.repeat(sizes, count) - BEHIND
    used = np.repeat(free, count) >> index.astype(np.uint64) & np.uint64(1) == 0
    # A group of small blocks may itself be a block of a larger one.
    nested = _hold_group(starts, ends, groups)
    starts, ends, used = starts[~nested], ends[~nested], used[~nested]
    order = np.argsort(starts)
    private = np.stack([records // PAGE * PAGE, records // PAGE * PAGE + PAGE], axis=1)
    return Heap("musl's malloc", starts[order], ends[order], used[order], np.unique(private, axis=0))


def _groups(image: Image) -> tuple[Addresses, Addresses]:
    """Returns the groups, sorted, and their records: each leads to the other."""
    found = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for segment in image.segments:
        if not segment.is_writable or segment.data is None:
            continue
        at = np.arange(0, len(segment.words), UNIT // WORD)
        record = segment.words[at].view(np.int64)
        near = np.flatnonzero((record > PAGE) & (record % WORD == 0))
        address = segment.start + at[near] * WORD
        leads_back = image.words(record[near] + GROUP).view(np.int64) == address
        found.append((address[leads_back], record[near][leads_back]))
    groups, records = (np.concatenate(each) for each in zip(*found, strict=True))
    # Nodes of a tree lead to each other, too. Records are in pages that begin with one number, which is secret.
    place = records % PAGE - FIRST_RECORD
    length = image.words(records // PAGE * PAGE + COUNT_OF_RECORDS) & np.uint64(0xFFFFFFFF)
    in_table = (place % RECORD == 0) & (place // RECORD < length.view(np.int64)) & (length <= PAGE // RECORD)
    groups, records = groups[in_table], records[in_table]
    secrets = image.words(records // PAGE * PAGE)
    number, count = np.unique(secrets[secrets != 0], return_counts=True)
    if len(number) == 0:
        return found[0]
    is_group = secrets == number[count.argmax()]
    order = np.argsort(groups[is_group])
    return groups[is_group][order], records[is_group][order]


def _hold_group(starts: Addresses, ends: Addresses, groups: Addresses) -> Flags:
    """Says of each block whether a group begins in it."""
    holds: Flags = np.append(groups, 1 << 62)[np.searchsorted(groups, starts)] < ends
    return holds
