"""What the allocations of a recording take under each allocator: a replay makes the same calls again, and nothing else.

What one allocator takes more than another in the replay, it takes more in the program. That holds for instructions and
memory in one thread. It does not hold for time, because a replay uses the caches as no program does, nor for threads.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from freehold_lab.advise import building
from freehold_lab.advise.replay import counting

# By the names of their libraries, where Debian and others put them.
ALLOCATORS = {"mimalloc": "libmimalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4", "jemalloc": "libjemalloc.so.2"}
FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
AT_ONCE = 2


@dataclass(frozen=True)
class Allocator:
    name: str
    preload: str


BUILT_IN = Allocator("the C library's", "")


@dataclass(frozen=True)
class Memory:
    whole: int  # bytes at the peak, with the allocator's own and its libraries
    peak: int  # of the heap
    faults: int  # pages that were not there


@dataclass(frozen=True)
class Replayed:
    allocator: Allocator
    instructions: int
    memory: Memory


def allocators() -> list[Allocator]:
    """Returns those that can be had here, besides the C library's."""
    found = [Allocator("Freehold", str(building.freehold_malloc()))]
    for name, library in ALLOCATORS.items():
        places = [Path(folder) / library for folder in FOLDERS]
        if path := next((each for each in places if each.exists()), None):
            found.append(Allocator(name, str(path)))
    return found


@dataclass(frozen=True)
class Steps:
    """The calls of a recording."""

    file: Path
    is_cxx: bool = True  # the program has the C++ library

    def under(self, each: Allocator) -> Replayed:
        """Raises LabError if valgrind cannot be run."""
        return Replayed(each, self.instructions(each.preload), self.memory(each.preload))

    def under_all(self) -> list[Replayed]:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(self.under, allocators()))

    def instructions(self, preload: str = "") -> int:
        return counting.instructions([str(building.replay(self.is_cxx)), str(self.file)], preload, must_succeed=True)

    def without_allocator(self) -> int:
        """Returns the instructions of the replay itself."""
        return self.instructions(str(building.nothing()))

    def memory(self, preload: str = "") -> Memory:
        told = counting.printed([str(building.replay(self.is_cxx)), str(self.file), "touch"], preload)
        whole, peak, faults = map(int, told.split())
        return Memory(whole * 1024, peak * 1024, faults)
