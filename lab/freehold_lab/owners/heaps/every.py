"""The heap of a program: the blocks of all allocators in it that can be read."""

import numpy as np

from freehold_lab.owners.heaps import freehold, glibc, musl
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.heaps.lookup import Places
from freehold_lab.owners.image.memory import Image
from freehold_lab.owners.tables.modules import Module


def read(image: Image, modules: list[Module]) -> Heap | None:
    """Returns the heap, or None if no allocator's blocks can be read."""
    found = [each for read in (glibc.read, musl.read, freehold.read) if (each := read(image, modules)) is not None]
    if len(found) < 2:
        return found[0] if found else None
    outer, inner = found
    # A pool over another allocator lies in that one's blocks, and is read as the program's own memory.
    apart = Places(outer.starts, outer.ends).index(inner.starts) < 0
    starts = np.concatenate([outer.starts, inner.starts[apart]])
    order = np.argsort(starts)
    ranges = np.concatenate([outer.private, inner.private])
    return Heap(
        f"{outer.allocator} and {inner.allocator}",
        starts[order],
        np.concatenate([outer.ends, inner.ends[apart]])[order],
        np.concatenate([outer.used, inner.used[apart]])[order],
        ranges[np.argsort(ranges[:, 0])],
        [*outer.faults, *inner.faults],
    )
