"""How much of a program's CPU time its allocator takes, by samples: for programs that valgrind cannot run."""

import mmap
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from freehold_lab.advise import building
from freehold_lab.advise.analysis.naming import Names, without_arguments
from freehold_lab.advise.replay import counting
from freehold_lab.errors import LabError

MOST = 1 << 16
TEXT = 1 << 18
BYTES = 8 + 8 * MOST + TEXT
LEAST = 20  # samples, of which something can be said
MAPPED = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r.(.). \S+ \S+ \d+ +(/.*)$", re.MULTILINE)
# What allocators call of the system, too, whoever else calls it: the share is one that it may be at most.
ALLOCATORS = re.compile(
    r"(m|c|re|v|pv)alloc|c?free|(aligned_|posix_mem|mem)(alloc|align)|mall(oc_\w+|info2?|opt)|operator (new|delete).*"
    r"|_int_(malloc|free|realloc)|sys(malloc|trim)|unlink_chunk|tcache_\w+|s?brk|m(un|re)?map|madvise"
)


@dataclass(frozen=True)
class Sampled:
    share: float  # of the CPU time, at most
    samples: int
    left_out: int = 0  # there was no room for more

    @property
    def told(self) -> str:
        """Returns such as "25 samples"."""
        return f"{self.samples:,} samples" + (f", without the last {self.left_out:,}" if self.left_out else "")


def of_allocation(command: Sequence[str], stdin: Path | None) -> Sampled:
    """Runs the program once. Raises LabError if it takes too little time."""
    from scipy.stats import binomtest

    with tempfile.NamedTemporaryFile() as file:
        os.truncate(file.name, BYTES)
        counting.run(command, str(building.sampler()), stdin, {"FREEHOLD_SAMPLES": file.name})
        with mmap.mmap(file.fileno(), BYTES, access=mmap.ACCESS_READ) as memory:
            content = memory[:]
    taken = int(np.frombuffer(content, "<u4", 2)[1])
    count = min(taken, MOST)
    if count < LEAST:
        raise LabError(f"too little CPU time for samples: {count} of {LEAST}")
    places = np.frombuffer(content, "<u8", count, 8).tolist()
    modules = content[8 + 8 * MOST :].partition(b"\0")[0].decode(errors="replace")
    found = sum(map(_Allocator(modules).has, places))
    return Sampled(float(binomtest(found, count).proportion_ci().high), count, taken - count)


class _Allocator:
    """Where a process has its allocator."""

    def __init__(self, maps: str) -> None:
        mapped = [
            (int(begin, 16), int(end, 16), is_code == "x", path) for begin, end, is_code, path in MAPPED.findall(maps)
        ]
        self._code = [(begin, end, path) for begin, end, is_code, path in mapped if is_code]
        self._bases = {path: begin for begin, *_, path in reversed(mapped)}  # where the file begins
        self._names = Names([path for *_, path in self._code])

    def has(self, place: int) -> bool:
        for number, (begin, end, path) in enumerate(self._code):
            if begin <= place < end:
                near = self._names.around((number, place - self._bases[path]))
                return any(ALLOCATORS.fullmatch(without_arguments(each)) for each in near)
        return False
