"""The heap of a program: the blocks of all allocators in it that can be read."""

import numpy as np

from freehold_lab.owners.heaps import foreign, freehold, glibc, musl
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.heaps.lookup import Places
from freehold_lab.owners.image.memory import Image
from freehold_lab.owners.tables.modules import Module


def read(image: Image, modules: list[Module]) -> Heap | None:
    """Returns the heap, or None if no allocator's blocks can be read."""
    # A program has one C library. Another allocator's memory may look like that of the one which it has not.
    outer = glibc.read(image, modules) or (None if glibc.is_library(modules) else musl.read(image, modules))
    inner = freehold.read(image, modules)
    if outer is None and inner is not None and (other := foreign.name(modules)):
        inner.faults.append(foreign.fault(other))
    if outer is None or inner is None:
        return outer or inner
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
