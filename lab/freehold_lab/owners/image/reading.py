"""Copies the memory of another process."""

import ctypes
import mmap
import os
from contextlib import suppress
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from freehold_lab.errors import LabError
from freehold_lab.owners.image import maps
from freehold_lab.owners.image.maps import Runs
from freehold_lab.owners.image.memory import PAGE, Segment

Bytes = NDArray[np.uint8]

NO_RESERVE = 0x4000  # MAP_NORESERVE
NO_HUGE_PAGES = 15  # MADV_NOHUGEPAGE
MOST_RUNS = 1024  # in one call
AT_ONCE = 1 << 20  # bytes through /proc/PID/mem

_c = ctypes.CDLL(None, use_errno=True)
_c.process_vm_readv.argtypes = [
    *(ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong),
]
_c.process_vm_readv.restype = ctypes.c_ssize_t


def reserve(count: int) -> Bytes:
    """Returns zeros, of which only those pages take memory that are written. Raises LabError."""
    try:
        memory = mmap.mmap(-1, max(1, count), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
    except (OSError, OverflowError) as error:
        raise LabError(
            f"{count:,} bytes of address space cannot be reserved: {error}; take a core and read it"
        ) from error
    with suppress(OSError):  # a kernel without huge pages
        memory.madvise(NO_HUGE_PAGES)
    return np.frombuffer(memory, np.uint8)[:count]


class Memory:
    """The memory of the process of one thread. What was opened is the memory of then: after exec, nothing is read."""

    def __init__(self, task: int) -> None:
        """Raises OSError."""
        self._task = task
        self._file = os.open(f"/proc/{task}/mem", os.O_RDONLY)
        try:
            self.page_table: int | None = os.open(f"/proc/{task}/pagemap", os.O_RDONLY)
        except OSError:
            self.page_table = None
        self.is_fast = True  # as long as process_vm_readv is allowed

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, type: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._file)
        if self.page_table is not None:
            os.close(self.page_table)

    def fill(self, segment: Segment, data: Bytes | None = None) -> None:
        """Reads a segment, into `data` if it is given, which has zeros."""
        pages = maps.pages(self.page_table, segment)
        segment.unread = pages.unknown
        if pages.unknown < segment.end - segment.start:
            segment.data = reserve(segment.end - segment.start) if data is None else data
            segment.unread += self.copy(segment, pages.runs, segment.data)

    def copy(self, segment: Segment, runs: Runs, data: Bytes) -> int:
        """Copies runs of bytes. Returns how many bytes could not be read."""
        ends = np.cumsum(runs[:, 1] - runs[:, 0])
        position = unread = 0
        step = PAGE
        while len(ends) and position < ends[-1]:
            first = int(np.searchsorted(ends, position, "right"))
            batch = runs[first : first + MOST_RUNS].copy()
            batch[0, 0] = batch[0, 1] - (ends[first] - position)
            got = self._copy_fast(segment.start, batch, data) if self.is_fast else 0
            if got <= 0:
                begin, end = (int(edge) for edge in batch[0])
                got = self.read(segment.start + begin, data[begin : min(end, begin + AT_ONCE)])
            if got > 0:
                position, step = position + got, PAGE
            else:  # where much cannot be read, it is not tried page by page
                missed = min(step, end - begin)
                position, unread, step = position + missed, unread + missed, step * 2
        return unread

    def read(self, address: int, into: Bytes) -> int:
        """Returns how many bytes could be read, also where the process itself may not read."""
        try:
            return os.preadv(self._file, [into.data], address)
        except (OSError, OverflowError):
            return 0

    def _copy_fast(self, start: int, runs: Runs, data: Bytes) -> int:
        lengths = runs[:, 1] - runs[:, 0]
        here = np.stack([runs[:, 0] + data.ctypes.data, lengths], 1)
        there = np.stack([runs[:, 0] + start, lengths], 1)
        pointers = (here.ctypes.data, len(runs), there.ctypes.data, len(runs))
        got = int(_c.process_vm_readv(self._task, *pointers, 0))
        self.is_fast = got >= 0 or ctypes.get_errno() not in (1, 38)  # EPERM, ENOSYS
        return got
