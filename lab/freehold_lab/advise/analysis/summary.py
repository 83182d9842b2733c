"""What src/advise/analysis.cpp prints of a process."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec

from freehold_lab.errors import LabError

# The function that was called, by its number in src/recorder/kinds.hpp.
KINDS = (
    *("malloc", "calloc", "realloc", "aligned", "new", "new[]", "aligned new"),
    *("free", "delete", "delete[]", "sized delete", "aligned delete"),
)
Place = tuple[int, int]  # the number of a module, or -1, and a return address in it


class Site(msgspec.Struct, frozen=True):
    number: int
    node: int  # of the tree: its innermost caller
    callers: list[Place]  # innermost first
    recorded: int  # blocks, which with samples stand for more
    blocks: int
    bytes: int
    freed: int
    by_others: int  # freed by another thread
    in_stack_order: int
    left_bytes: int
    at_peak: int  # bytes
    made: int  # of the blocks, by operator new
    least_size: int
    most_size: int
    outgrown: int  # blocks that a larger one of the site has replaced
    outgrown_bytes: int
    lifetimes: list[int]  # blocks by the logarithm of the bytes that were allocated while they lived


class Node(msgspec.Struct, frozen=True):
    """All blocks that were allocated beneath a call; batches are from the first that lives to when none does."""

    number: int
    parent: int
    blocks: int
    made: int  # of them, by operator new
    bytes: int
    left: int
    by_others: int
    batches: int
    most_bytes: int  # allocated in a batch
    most_live: int  # bytes
    price: int  # bytes that an arena would need more than its batch
    is_recursive: bool  # comes again beneath itself
    place: Place


class Summary(msgspec.Struct, frozen=True):
    events: int
    allocations: int
    frees: int
    reallocations: int
    of_unknown: int  # frees of blocks that were not recorded
    bytes: int
    most_bytes: int  # alive at a time
    most_blocks: int
    left: int
    left_bytes: int
    kinds: list[int]
    sizes: list[int]  # blocks, by the logarithm of their size, rounded up
    threads: int
    modules: list[str]
    sites: list[Site]
    nodes: list[Node]
    timeline: list[tuple[int, int]]  # the most bytes that lived, and those allocated, in spans of the same length
    samples: int = 0  # what the figures are estimated from; 0: all was recorded

    @property
    def is_cxx(self) -> bool:
        """Whether the program has the C++ library, with its operator new."""
        return any(Path(each).name.startswith(("libstdc++", "libc++")) for each in self.modules)


def read(
    analysis: Path, recording: Path, process: int, replay: Path | None = None, change: Sequence[str] = ()
) -> Summary:
    """Returns what a process did; writes what replays it, with a change that src/advise/change.hpp knows. Raises
    LabError."""
    more = [str(replay), *change] if replay else []
    done = subprocess.run([analysis, str(recording), str(process), *more], capture_output=True)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip()
        raise LabError(f"the recording cannot be analyzed in {recording.parent}: {why}")
    found = msgspec.json.decode(done.stdout, type=Summary)
    return msgspec.structs.replace(found, modules=[os.fsdecode(each.encode("latin-1")) for each in found.modules])
