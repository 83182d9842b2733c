"""What a process has mapped, and which pages of it must be read."""

import mmap
import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.image.memory import Flags, Segment

Runs = NDArray[np.int64]  # rows of two: the first byte of a run of pages, and the first one after it

LINE = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S+) ([0-9a-f]+) \S+ \S+ *(.*)$", re.MULTILINE)
# Memory that looks like a device, and what is none but has a name of another kind.
MEMORY = ("/dev/shm/", "/dev/zero", "/dev/hugepages/")
DEVICES = ("/dev/", "/dmabuf", "/drm ", "/[aio]", "anon_inode:", "socket:")
ZERO_AT_FIRST = ("/dev/zero", "/anon_hugepage")

PRESENT, SWAPPED, GUARD = (np.uint64(1 << bit) for bit in (63, 62, 58))
MOST_UNTOUCHED = 256 << 20  # of a larger mapping, only pages are read that the process has touched
MOST = 1 << 40  # a larger mapping is a sanitizer's, whose page table alone takes seconds to read
AT_ONCE = 1 << 20  # pages


def segments(task: int) -> list[Segment]:
    """Returns what the process of a thread has mapped. Raises OSError."""
    text = Path(f"/proc/{task}/maps").read_text(errors="surrogateescape")
    found = []
    for start, end, permissions, offset, name in LINE.findall(text):
        if name != "[vsyscall]":  # the topmost bit of its address is set
            found.append(Segment(int(start, 16), int(end, 16), permissions, name, int(offset, 16)))
    return found


def is_device(segment: Segment) -> bool:
    """Says whether reading the memory may do something."""
    return segment.name.startswith(DEVICES) and not segment.name.startswith(MEMORY)


def is_anonymous(segment: Segment) -> bool:
    """Says whether a page that was never touched is zero, and so is one that was dropped."""
    named = segment.is_file and not segment.name.startswith(ZERO_AT_FIRST)
    return segment.permissions.endswith("p") and not named


def modules(all_segments: list[Segment], begins: dict[int, bytes]) -> set[str]:
    """Returns the names of programs and libraries among the files that are mapped. `begins` has the first bytes of
    segments."""
    found = {each.name for each in all_segments if each.is_file and each.is_code}
    return found | {each.name for each in all_segments if each.is_file and begins.get(each.start) == b"\x7fELF"}


@dataclass(frozen=True)
class Pages:
    runs: Runs  # what must be read, counted from the segment's start
    absent: int = 0  # bytes of these that are in no memory yet
    unknown: int = 0  # bytes that must not be read, though they may have contents

    @property
    def bytes(self) -> int:
        return int((self.runs[:, 1] - self.runs[:, 0]).sum())


def pages(page_table: int | None, segment: Segment) -> Pages:
    """Returns which pages of a segment must be read.

    `page_table` is the open file /proc/PID/pagemap. Of memory that is private and of no file, a page that is neither
    present nor swapped is zero. Any other page may have contents although it is not present."""
    size = segment.end - segment.start
    if is_device(segment) or size > MOST:
        return Pages(np.empty((0, 2), np.int64), unknown=size)
    if page_table is None:
        return Pages(np.array([(0, size)], np.int64))
    found, absent, unknown = [np.empty((0, 2), np.int64)], 0, 0
    for first in range(0, size // mmap.PAGESIZE, AT_ONCE):
        count = min(AT_ONCE, size // mmap.PAGESIZE - first)
        entries = _entries(page_table, segment.start // mmap.PAGESIZE + first, count)
        if is_anonymous(segment) and not entries.any():
            continue
        guard = (entries & GUARD) != 0
        touched = (entries & (PRESENT | SWAPPED)) != 0
        if is_anonymous(segment) or size > MOST_UNTOUCHED:
            wanted = touched & ~guard
            unknown += 0 if is_anonymous(segment) else int(np.count_nonzero(~touched)) * mmap.PAGESIZE
        else:
            wanted = ~guard
        absent += int(np.count_nonzero(wanted & ((entries & PRESENT) == 0))) * mmap.PAGESIZE
        found.append((_runs(wanted) + first) * mmap.PAGESIZE)
    return Pages(np.concatenate(found), absent, unknown)


def _entries(page_table: int, first: int, count: int) -> NDArray[np.uint64]:
    """Returns a word for each page; for those of which nothing is known, that of a page that is present."""
    try:
        read = np.frombuffer(os.pread(page_table, count * 8, first * 8), np.uint64)
    except OSError:
        read = np.empty(0, np.uint64)
    return read if len(read) == count else np.concatenate([read, np.full(count - len(read), PRESENT)])


def _runs(wanted: Flags) -> Runs:
    """Returns the first index of each run of True, and the first one after it."""
    edges = np.diff(np.concatenate([[False], wanted, [False]]).astype(np.int8))
    return np.flatnonzero(edges).astype(np.int64).reshape(-1, 2)
