"""Memory as it was at one moment: segments with their bytes, and the registers of each thread."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WORD = 8  # bytes of an address; all programs that are read here have 64 bits
PAGE = 4096

Words = NDArray[np.uint64]
Addresses = NDArray[np.int64]  # no address of a program uses the topmost bit
Flags = NDArray[np.bool_]


@dataclass
class Segment:
    """A mapping: addresses from `start` to `end`."""

    start: int
    end: int
    permissions: str  # as in /proc/PID/maps, such as "rw-p"
    name: str = ""  # the file that is mapped, or "[heap]", "[stack]", "[vdso]"
    offset: int = 0  # of `start` in the file, in bytes
    data: NDArray[np.uint8] | None = None  # None: not read, as it is a device, or data that nobody can write
    unread: int = 0  # bytes that could not be read; they are zero in `data`

    @property
    def is_writable(self) -> bool:
        return "w" in self.permissions

    @property
    def is_code(self) -> bool:
        return "x" in self.permissions

    @property
    def is_file(self) -> bool:
        return self.name.startswith("/")

    @cached_property
    def words(self) -> Words:
        """The bytes as words of 8 bytes; the rest of the last word is left out."""
        if self.data is None:
            return np.empty(0, np.uint64)
        return self.data[: len(self.data) // WORD * WORD].view(np.uint64)


@dataclass(frozen=True)
class Thread:
    id: int
    stack_pointer: int
    thread_pointer: int  # fs on x86-64, tpidr_el0 on AArch64: where thread-local variables are
    registers: tuple[int, ...]  # those that may hold an address
    instruction_pointer: int = 0
    name: str = ""  # nothing if it is not known, as in a core


@dataclass
class Image:
    """All of it. The segments are sorted by address and do not overlap."""

    source: str  # such as "process 4711" or "core.4711"
    processor: str  # "x86-64" or "AArch64"
    segments: list[Segment]
    threads: list[Thread]
    file: Callable[[str], Path] = Path  # where the file of a mapping is found from here
    stopped: float = 0  # seconds for which the program was stopped
    has_all_stacks: bool = True  # False: some thread had ended, and its stack with it
    notes: list[str] = field(default_factory=list)  # what the user is told about how the image came about
    kept: tuple[int, ...] = ()  # words that the kernel hands back later

    @property
    def unread(self) -> int:
        """Bytes that the program can write and that could not be read."""
        return sum(each.unread for each in self.segments if each.is_writable)

    @property
    def writable_bytes(self) -> int:
        return sum(len(each.data) for each in self.segments if each.is_writable and each.data is not None)

    @property
    def registers(self) -> Addresses:
        """Those of all threads."""
        return np.array([each for thread in self.threads for each in thread.registers], np.uint64).view(np.int64)

    @property
    def in_hand(self) -> Addresses:
        """The registers, and what the kernel hands back later."""
        return np.concatenate([self.registers, np.array(self.kept, np.uint64).view(np.int64)])

    @cached_property
    def _starts(self) -> list[int]:
        return [each.start for each in self.segments]

    def segment(self, address: int) -> Segment | None:
        at = bisect_right(self._starts, address) - 1
        return self.segments[at] if at >= 0 and address < self.segments[at].end else None

    def bytes(self, address: int, count: int) -> bytes:
        """Returns at most `count` bytes: fewer where the segment ends, none where nothing was read."""
        segment = self.segment(address)
        if segment is None or segment.data is None:
            return b""
        return segment.data[address - segment.start : address - segment.start + count].tobytes()

    def word(self, address: int) -> int:
        """Returns the word there, or 0 if there is none."""
        found = self.bytes(address, WORD)
        return int.from_bytes(found, "little") if len(found) == WORD else 0

    def string(self, address: int, most: int = 1 << 16) -> str:
        """Returns the bytes up to the next zero."""
        return self.bytes(address, most).split(b"\0", 1)[0].decode("latin-1")

    def words(self, addresses: Addresses) -> Words:
        """Returns the word at each address, which must be a multiple of 8; 0 where there is none."""
        found = np.zeros(len(addresses), np.uint64)
        place = np.searchsorted(np.array(self._starts, np.int64), addresses, "right") - 1
        for each in np.unique(place[place >= 0]):
            segment = self.segments[each]
            here = np.flatnonzero(place == each)
            index = (addresses[here] - segment.start) // WORD
            inside = index < len(segment.words)
            found[here[inside]] = segment.words[index[inside]]
        return found

    def refresh(self) -> None:
        """To be called after segments were split or added."""
        self.segments.sort(key=lambda each: each.start)
        self.__dict__.pop("_starts", None)
