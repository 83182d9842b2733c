"""The pages that Freehold's malloc keeps and nobody uses: process_pages, in a module's variables.

memory/detail/process_pages.hpp and idle_pages.hpp say what is in them. No symbol is needed: they are found by what is
in them, where all of it agrees.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from freehold_lab.owners.image.memory import WORD, Addresses, Image, Segment, Words

HUGE_PAGE = 2 << 20
LEAST_REGION = 64 << 10  # what a region of pages is a multiple of, at least
# Where the members of process_pages are, in words. It begins with its idle_pages.
USED, NEWEST, OLDEST, IDLE, ENDS, END_OF_RECORDS, MAPPINGS = 768, 780, 781, 782, 783, 786, 787
FRESH, CUT, PAGES_FROM_SYSTEM = 788, 792, 794
PAGES_WORDS = 809
RANGE, OLDER, NEWER = 8 * WORD, 4 * WORD, 5 * WORD  # of a range of idle pages: its bytes, and where its links are
MAPPING = 64 << 10  # bytes of records of such ranges
MOST_RANGES = 1 << 20

Ranges = list[tuple[int, int]]  # starts and ends


@dataclass
class Pages:
    idle: Ranges
    own: Ranges  # the allocator's variables


def find(image: Image, segment: Segment, granule: int) -> Pages:
    """Returns the pages of all allocators whose variables are in the segment."""
    found = Pages([], [])
    for at in _places(segment.words, granule):
        if (pages := _read(image, segment, int(at), granule)) is not None:
            found.idle += pages.idle
            found.own += pages.own
    return found


def _places(words: Words, granule: int) -> Addresses:
    """Returns where process_pages may be."""
    most = max(0, len(words) - PAGES_WORDS + 1)
    of = {at: words[at : at + most] for at in range(NEWEST, PAGES_FROM_SYSTEM)}
    good = (of[CUT] % HUGE_PAGE == 0) & (of[CUT + 1] % HUGE_PAGE == 0)
    # Records of idle pages are in mappings, the first of which has the table that finds them.
    has_records = of[MAPPINGS] > 0
    for use, alignment in enumerate((LEAST_REGION, HUGE_PAGE)):  # the rest of the region, the bytes of all of them
        begin, size, cut = of[FRESH + 2 * use], of[FRESH + 2 * use + 1], of[CUT + use]
        good &= (begin % granule == 0) & (size % granule == 0) & (size <= cut)
        is_rest = (cut > 0) & (begin > 0) & ((begin + size) % alignment == 0)
        good &= is_rest | (begin == 0) & (size == 0) & (has_records | (cut == 0))
    good &= of[END_OF_RECORDS] == np.where(has_records, of[MAPPINGS] + np.uint64(MAPPING), 0)
    good &= ((of[ENDS] > 0) == has_records) & (has_records | (of[IDLE] == 0) & (of[CUT] + of[CUT + 1] > 0))
    for link in (NEWEST, OLDEST):
        good &= (of[link] == 0) == (of[IDLE] == 0)
    return np.flatnonzero(good)


def _read(image: Image, segment: Segment, at: int, granule: int) -> Pages | None:
    """Returns the pages, or None if this is no process_pages."""
    words = segment.words[at : at + PAGES_WORDS]
    used = np.unpackbits(words[USED:NEWEST].view(np.uint8), bitorder="little") == 1
    ranges = _ranges(image, int(words[NEWEST]), int(words[OLDEST]), granule)
    if ranges is None or not np.array_equal(used, words[:USED] != 0):
        return None
    if sum(end - start for start, end in ranges) != int(words[IDLE]):
        return None
    mappings: Ranges = []
    each = int(words[MAPPINGS])
    while each and len(mappings) < MOST_RANGES:
        mappings.append((each, each + MAPPING))
        each = image.word(each)
    if mappings and int(words[ENDS]) != mappings[-1][0] + RANGE:
        return None
    start = segment.start + at * WORD
    own = [(start, start + PAGES_WORDS * WORD), *mappings]
    is_disjoint = all(one[1] <= after[0] for one, after in pairwise(sorted([*ranges, *own])))
    return Pages(ranges, own) if is_disjoint else None


def _ranges(image: Image, newest: int, oldest: int, granule: int) -> Ranges | None:
    """Returns the ranges of idle pages, whose records lead to each other; or None if they are no such records."""
    found: Ranges = []
    newer, at = 0, newest
    while at and len(found) < MOST_RANGES:
        start, size = image.word(at), image.word(at + WORD)
        good = start % granule == 0 and size % granule == 0 and size > 0
        if not good or image.word(at + NEWER) != newer:
            return None
        found.append((start, start + size))
        newer, at = at, image.word(at + OLDER)
    return found if newer == oldest else None
