"""The large blocks of Freehold's malloc and of its operator new, and the allocator's own memory.

Their records are in a module's variables: memory/detail/large_blocks.hpp says what they are, recent_blocks.hpp what is
known of the state of each block. In a stripped program nothing leads to these variables. They are found by what is in
them, where all counts and sums agree. What does not, as while a thread changes it, is left out: then its words count as
variables, as other memory's do.
"""

from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.heaps import freehold_idle
from freehold_lab.owners.heaps.heap import NO_RANGES
from freehold_lab.owners.image.memory import WORD, Addresses, Flags, Image, Segment, Words
from freehold_lab.owners.tables.modules import Module
from freehold_lab.owners.tables.type_information import index_of

GRANULE = {"x86-64": 4096, "AArch64": 64 << 10}  # page_granule
# basic_large_blocks: where its members are, in words.
COUNT, BYTES, RESERVED, BUCKETS, EVER_USED, FIRST_RECORDS, SEGMENTS, EACH_SEGMENT = 0, 1, 2, 3, 4, 6, 26, 27
RECORDS_WORDS = 63
RECORD_WORDS, HIDDEN, SIZE = 5, 2, 3  # of a record
FIRST_SIZE, MOST_SEGMENTS = 4, 28
# recent_blocks and known_sizes
LARGEST_RECENT = 64  # granules of a block that waits in a thread for a request of its size
KNOWN = 4096  # entries
SCATTER = 0x9E3779B97F4A7C15


@dataclass
class Large:
    starts: Addresses  # of the blocks whose state is known, sorted
    ends: Addresses
    used: Flags
    private: Addresses  # rows of start and end, sorted: idle pages, and the allocator's variables
    other: Addresses  # likewise: where no slab is, as there are idle pages or a large block


def read(image: Image, modules: list[Module], hardened: bool) -> Large:
    found = _Found(image, hardened)
    for module in modules:
        found.read(_joined(module))
    blocks = np.array(found.blocks, np.int64).reshape(-1, 3)
    blocks = blocks[np.argsort(blocks[:, 0])]
    private, other = _sorted([*found.private, *found.idle]), _sorted([*found.recorded, *found.idle])
    return Large(blocks[:, 0], blocks[:, 1], blocks[:, 2] == 1, private, other)


def _joined(module: Module) -> list[Segment]:
    """Returns the memory of the module's variables: those that are zero at the start are in a segment of their own."""
    found: list[Segment] = []
    for each in sorted(module.segments, key=lambda each: each.start):
        if not each.is_writable or each.data is None:
            continue
        if found and found[-1].end == each.start:
            last = found.pop()
            assert last.data is not None
            found.append(Segment(last.start, each.end, "rw-p", data=np.concatenate([last.data, each.data])))
        else:
            found.append(each)
    return found


def _sorted(ranges: list[tuple[int, int]]) -> Addresses:
    return np.array(sorted(ranges), np.int64).reshape(-1, 2) if ranges else NO_RANGES


class _Found:
    """Collects what is found in the modules: usually in one of them."""

    def __init__(self, image: Image, hardened: bool) -> None:
        self.image, self.hardened = image, hardened
        self.granule = GRANULE[image.processor]
        self.blocks: list[tuple[int, int, bool]] = []
        self.recorded: list[tuple[int, int]] = []  # all large blocks
        self.idle: list[tuple[int, int]] = []
        self.private: list[tuple[int, int]] = []

    def read(self, segments: list[Segment]) -> None:
        for segment in segments:
            for at in self._records_in(segment.words):
                if (blocks := self._blocks(segment.words[at:])) is not None:
                    self._take(segments, *blocks)
                    self.private.append(_range(segment, at, RECORDS_WORDS))
            pages = freehold_idle.find(self.image, segment, self.granule)
            self.idle += pages.idle
            self.private += pages.own

    def _records_in(self, words: Words) -> Addresses:
        """Returns where the records of blocks may be."""
        most = max(0, len(words) - RECORDS_WORDS + 1)
        count, size, ever, buckets = (words[at : at + most] for at in (COUNT, BYTES, EVER_USED, BUCKETS))
        near = np.flatnonzero(
            (count > 0) & (count <= ever) & (count <= buckets) & (size % np.uint64(self.granule) == 0)
        )
        segments = words[near + SEGMENTS]
        room = np.uint64(FIRST_SIZE) << np.minimum(segments, np.uint64(MOST_SEGMENTS))
        good = (segments <= MOST_SEGMENTS) & (ever[near] <= room) & (buckets[near] <= room)
        good &= words[near + RESERVED] <= 1
        return near[good]

    def _blocks(self, words: Words) -> tuple[Addresses, Addresses] | None:
        """Returns the addresses and the sizes of all blocks, sorted, or None if these are no records of them."""
        first = words[FIRST_RECORDS : FIRST_RECORDS + FIRST_SIZE * RECORD_WORDS]
        parts, self_made = [first], []
        for number in range(int(words[SEGMENTS])):
            at, length = int(words[EACH_SEGMENT + number]), (FIRST_SIZE << number) * RECORD_WORDS * WORD
            raw = self.image.bytes(at, length) if at % WORD == 0 else b""
            if len(raw) != length:
                return None
            parts.append(np.frombuffer(raw, np.uint64))
            self_made.append((at, at + length))
        records = np.concatenate(parts)[: int(words[EVER_USED]) * RECORD_WORDS].reshape(-1, RECORD_WORDS)
        records = records[records[:, HIDDEN] != 0]
        starts, sizes = (~records[:, HIDDEN]).view(np.int64), records[:, SIZE].astype(np.int64)
        order = np.argsort(starts)
        starts, sizes = starts[order], sizes[order]
        agrees = len(starts) == int(words[COUNT]) and int(sizes.sum()) == int(words[BYTES])
        whole = ((starts | sizes) % self.granule == 0) & (starts > 0) & (sizes > 0)
        if not agrees or not whole.all() or (starts[1:] < starts[:-1] + sizes[:-1]).any():
            return None
        self.private += self_made
        return starts, sizes

    def _take(self, segments: list[Segment], starts: Addresses, sizes: Addresses) -> None:
        """Takes those blocks of which it is known whether they are in use."""
        known_used, known_free = self._states(segments, starts, sizes)
        links = self.image.words(starts).view(np.int64)
        target = index_of(starts, links)
        may_be_link = (links == 0) | ((target >= 0) & (sizes[target] == sizes))
        # One that is free waits in a list, whose links are the first words of its blocks.
        used = known_used | (sizes > LARGEST_RECENT * self.granule) | ~may_be_link
        if self.hardened:  # links are encoded; one of unknown state is rarely free, and is no variable in any case
            may_be_link[:] = True
            used = ~known_free
        known = used | (known_free & may_be_link)
        ends = starts + sizes
        self.blocks += zip(starts[known], ends[known], used[known], strict=True)
        self.recorded += zip(starts, ends, strict=True)

    def _states(self, segments: list[Segment], starts: Addresses, sizes: Addresses) -> tuple[Flags, Flags]:
        """Returns which blocks are in use and which are free, as far as the allocator has noted it."""
        tables: dict[tuple[int, int], list[tuple[int, bool]]] = {}
        for segment in segments:
            words = segment.words.view(np.int64)
            block = index_of(starts, words // self.granule * self.granule)
            rest = words % self.granule
            places = np.flatnonzero((block >= 0) & (rest // 2 * self.granule == sizes[np.maximum(block, 0)]))
            begin = places - self._entry(words[places])
            for place, first in zip(places, begin, strict=True):
                if first >= 0 and first + KNOWN <= len(words):
                    entry = int(block[place]), bool(rest[place] % 2)
                    tables.setdefault((segment.start, int(first)), []).append(entry)
        used, free = np.zeros(len(starts), bool), np.zeros(len(starts), bool)
        by_length = sorted(tables, key=lambda each: len(tables[each]), reverse=True)
        # A pointer into a block may look like an entry: then two tables have as many.
        if not by_length or (len(by_length) > 1 and len(tables[by_length[0]]) == len(tables[by_length[1]])):
            return used, free
        start, first = by_length[0]
        segment = next(each for each in segments if each.start == start)
        words = segment.words[first : first + KNOWN].view(np.int64)
        if not ((words == 0) | (self._entry(words) == np.arange(KNOWN))).all():
            return used, free
        self.private.append(_range(segment, first, KNOWN))
        for index, is_free in tables[start, first]:
            (free if is_free else used)[index] = True
        return used, free

    def _entry(self, words: Addresses) -> Addresses:
        """Returns which entry of known_sizes is that of the block that each word leads to."""
        granule = words.view(np.uint64) // np.uint64(self.granule)
        place: Addresses = (granule * np.uint64(SCATTER) >> np.uint64(52)).view(np.int64)
        return place


def _range(segment: Segment, first: int, words: int) -> tuple[int, int]:
    start = segment.start + int(first) * WORD
    return start, start + words * WORD
