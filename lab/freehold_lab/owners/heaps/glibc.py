"""The blocks of glibc's malloc: of its arenas, and those that have a mapping of their own.

A chunk's size is the word before its block; its lowest bit says whether the chunk before is in use. Chunks in a
thread's cache or in a fast bin say that they are in use: they are found through these lists. From glibc 2.32 on, a link
of such a list is xored with its own address, shifted.
"""

import struct
from pathlib import PurePath

import numpy as np

from freehold_lab.owners.heaps.chunks import walk
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.memory import PAGE, WORD, Addresses, Flags, Image, Segment
from freehold_lab.owners.tables.modules import Module, anonymous
from freehold_lab.owners.tables.type_information import is_inside

CHUNK = 16  # chunks begin at multiples of it
LEAST = 32  # bytes of a chunk
HEADER = 16  # bytes of a chunk before its block
IN_USE, MAPPED, FLAGS = 1, 2, 7
HEAP_OF_ARENA = 64 << 20  # the most bytes of a heap of another than the main arena, and what it is aligned to
HEAP_INFO = (0x20, 0x30, 0x40)  # bytes of the record at the start of such a heap, which versions differ in
# Where they are from the place in malloc_state that leads to the top. From 2.43 on there are no fast bins.
STATE, STATE_WITHOUT_FAST_BINS, END_OF_STATE = -96, -8, 0x838
FAST_BINS, COUNT_OF_FAST_BINS = -80, 10
BINS, COUNT_OF_BINS = 16, 127
CACHES = {0x290: 64, 0x300: 76}  # lists of a thread's cache by the bytes of its chunk; before them 2 bytes for each
MOST_IN_CACHE = 1 << 16  # blocks in one list
LIBRARIES = ("libc.so.6", "libc-2.", "ld-linux", "ld-2.")  # how the names of its files begin


class Walker:
    """Collects the chunks of one image."""

    def __init__(self, image: Image, modules: list[Module]) -> None:
        self.image = image
        self.modules = modules
        self.anonymous = anonymous(image, modules)
        self.starts: list[Addresses] = []
        self.ends: list[Addresses] = []
        self.used: list[Flags] = []
        self.tops: list[int] = []
        self.ranges: list[tuple[int, int]] = []
        self.faults: list[str] = []
        self.taken: set[int] = set()

    def main_arena(self) -> None:
        named = [each for each in self.anonymous if each.name == "[heap]"]
        for segment in named or [each for each in self.anonymous if not each.name]:  # a core names no heap
            words = segment.words
            for at in range(0, min(0x4000, len(words) * WORD - LEAST), CHUNK):
                # The first chunk is usually the cache of the thread that allocated first.
                is_cache = int(words[at // WORD + 1]) & ~FLAGS in CACHES
                if (is_cache or at == 0) and self._take(segment, at, len(words) * WORD):
                    break
            if segment.start in self.taken and not named:
                return

    def other_arenas(self) -> None:
        for segment in self.anonymous:
            if segment.start % HEAP_OF_ARENA or segment.start in self.taken or len(segment.words) < PAGE // WORD:
                continue
            arena, size = int(segment.words[0]), int(segment.words[2])
            if arena % HEAP_OF_ARENA not in HEAP_INFO or size % PAGE or not 0 < size <= HEAP_OF_ARENA:
                continue
            end = min(size, len(segment.words) * WORD)
            first = arena % HEAP_OF_ARENA
            if segment.start <= arena < segment.start + end:
                top = arena - STATE_WITHOUT_FAST_BINS
                if not segment.start <= self.image.word(top) < segment.start + end:
                    top = arena - STATE
                first = top + END_OF_STATE - segment.start
            self._take(segment, -(-first // CHUNK) * CHUNK, end)

    def mappings(self) -> None:
        """A chunk with a mapping of its own begins at a page. The kernel joins such mappings into one segment. From
        2.43 on the chunk's size leaves out its last two words."""
        for segment in self.anonymous:
            if segment.start in self.taken or segment.name.startswith("[stack"):
                continue
            heads = segment.words[:: PAGE // WORD], segment.words[1 :: PAGE // WORD]
            sizes = heads[1]
            count = len(sizes)
            size = sizes & ~np.uint64(FLAGS)
            size += np.where(size % np.uint64(PAGE) == PAGE - HEADER, HEADER, 0).astype(np.uint64)
            is_chunk = (heads[0][:count] == 0) & (sizes & np.uint64(FLAGS) == MAPPED)
            is_chunk &= (size % np.uint64(PAGE) == 0) & (size > 0)
            after = 0
            for page in np.flatnonzero(is_chunk):
                start, length = int(page) * PAGE, int(size[page])
                if start >= after and start + length <= segment.end - segment.start:
                    self.starts.append(np.array([segment.start + start + HEADER]))
                    self.ends.append(np.array([segment.start + start + length]))
                    self.used.append(np.array([True]))
                    after = start + length

    def heap(self) -> Heap | None:
        if not self.starts:
            return None
        starts, ends, used = np.concatenate(self.starts), np.concatenate(self.ends), np.concatenate(self.used)
        order = np.argsort(starts)
        heap = Heap("glibc's malloc", starts[order], ends[order], used[order], faults=self.faults)
        freed = self._in_caches(heap)
        ranges = list(self.ranges)
        for top in self._arenas():
            fast = self._in_fast_bins(heap, top)
            freed += fast or ()
            ranges.append((top + (STATE if fast else STATE_WITHOUT_FAST_BINS), top + END_OF_STATE))
        heap.used[np.array(freed, np.int64)] = False
        ranges.sort()
        heap.private = np.array(ranges, np.int64).reshape(-1, 2)
        return heap

    def _take(self, segment: Segment, first: int, end: int) -> bool:
        """Takes the chunks from `first`, if they end at `end`, as an arena's do: the last one is its top."""
        sizes = segment.words[1 : end // WORD : CHUNK // WORD]
        good = (sizes >= LEAST) & (sizes <= end) & (sizes & np.uint64(CHUNK - 1 - FLAGS) == 0)
        steps = np.where(good, sizes // np.uint64(CHUNK), 0).astype(np.int32)
        found = walk(steps, first // CHUNK, len(steps)).astype(np.int64)
        size = steps[found].astype(np.int64) * CHUNK
        if len(found) < 2:
            return False
        last = int(found[-1] * CHUNK + size[-1])
        if abs(last - end) > LEAST:
            if len(found) > 64:  # it is one: a chunk's size was overwritten
                broken = segment.start + last
                self.faults.append(f"the walk of malloc's heap at {segment.start:#x} ends at {broken:#x}, too early")
            return False
        self.taken.add(segment.start)
        used = np.zeros(len(found), bool)
        used[:-1] = (sizes[found[1:]] & np.uint64(IN_USE)).astype(bool)
        starts = segment.start + found * CHUNK + HEADER
        self.starts.append(starts)
        self.ends.append(starts + size - WORD)  # a block ends in the first word of the next chunk
        self.used.append(used)
        self.tops.append(int(starts[-1]) - HEADER)
        self.ranges.append((segment.start, segment.start + end))
        return True

    def _arenas(self) -> list[int]:
        """Returns the places in malloc_states that lead to the top of an arena."""
        found = []
        places = [each for module in self.modules for each in module.segments if each.is_writable]
        tops = np.array(sorted(self.tops), np.uint64)
        for segment in [*places, *self.anonymous]:
            heap = segment.start % HEAP_OF_ARENA == 0 and segment.start in self.taken
            words = segment.words if segment in places else segment.words[: PAGE // WORD] if heap else None
            if words is None:
                continue
            for at in np.flatnonzero(np.isin(words, tops)):
                place = segment.start + int(at) * WORD
                if self._is_arena(place):
                    found.append(place)
        return found

    def _is_arena(self, place: int) -> bool:
        """Says whether the lists of free chunks follow: each leads to chunks of a heap, or to itself if it is empty.
        The end of a vector may be the same address as the top of a heap."""
        links = self.image.words(place + BINS + WORD * np.arange(2 * COUNT_OF_BINS)).view(np.int64)
        itself = place + BINS - HEADER + HEADER * (np.arange(2 * COUNT_OF_BINS) // 2)
        heaps = np.array(sorted(self.ranges), np.int64).reshape(-1, 2)
        return bool(((links == itself) | is_inside(heaps, links)).all())

    def _in_caches(self, heap: Heap) -> list[int]:
        """Returns the indices of the chunks in threads' caches."""
        found: list[int] = []
        for size, lists in CACHES.items():
            for cache in np.flatnonzero((heap.ends - heap.starts == size - WORD) & heap.used):
                raw = self.image.bytes(int(heap.starts[cache]), lists * (2 + WORD))
                counts, heads = struct.unpack_from(f"<{lists}H", raw), struct.unpack_from(f"<{lists}Q", raw, 2 * lists)
                free = [self._list(heap, head, MOST_IN_CACHE) for head in heads]
                lengths = [-1 if each is None else len(each) for each in free]
                # A block of that size may be the program's. Up to 2.41 the counts are those of the lists, from 2.42 on
                # those of the blocks that they still have room for.
                room = {count + length for count, length in zip(counts, lengths, strict=True)}
                if -1 not in lengths and (tuple(lengths) == counts or len(room) == 1):
                    found += [index for each in free for index in each or ()]
        return found

    def _in_fast_bins(self, heap: Heap, top: int) -> list[int] | None:
        """Returns the indices of the chunks in an arena's fast bins, or None if it has no such lists."""
        found: list[int] = []
        for bin in range(COUNT_OF_FAST_BINS):
            head = self.image.word(top + FAST_BINS + bin * WORD)
            chunks = self._list(heap, head + HEADER if head else 0, len(heap.starts), HEADER)
            if chunks is None:
                return None
            found += chunks
        return found

    def _list(self, heap: Heap, head: int, most: int, before: int = 0) -> list[int] | None:
        """Returns the indices of the blocks in a list, or None if it is none. A link leads `before` its block."""
        found: list[int] = []
        block = head
        while block and len(found) < most:
            index = heap.begins(block)
            if index < 0:
                return None
            found.append(index)
            link = self.image.word(block)
            # Since 2.32 a link is mangled. One that is not is the address of a block, or 0.
            if link and heap.begins(link + before) < 0:
                link ^= block >> 12
            block = link + before if link else 0
        return found


def is_library(modules: list[Module]) -> bool:
    """Says whether glibc is among the modules. A static program has none."""
    return any(PurePath(each.name).name.startswith(LIBRARIES) for each in modules)


def read(image: Image, modules: list[Module]) -> Heap | None:
    """Returns the heap, or None if there is none of glibc's."""
    walker = Walker(image, modules)
    walker.main_arena()
    walker.other_arenas()
    if not walker.taken:  # malloc was replaced, and what looks like a mapping of its own is the other one's
        return None
    walker.mappings()
    return walker.heap()
