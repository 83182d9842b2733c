"""Which block an address is in, looked up in a table instead of searched for: of millions of addresses most are asked
in no order, and each step of a search is a cache miss."""

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.image.memory import Addresses

GRAIN = 16  # bytes; no two blocks of a heap begin in the same ones
SLICE = 1 << 16
GAP = 1 << 20  # bytes between two blocks, from which on the table leaves out what is between them


class Places:
    """Blocks, which are sorted by address and do not overlap."""

    def __init__(self, starts: Addresses, ends: Addresses) -> None:
        self.starts, self.ends = starts, ends
        first = np.concatenate([[True], starts[1:] - ends[:-1] > GAP])[: len(starts)]
        last = np.append(np.flatnonzero(first)[1:] - 1, len(starts) - 1)[: int(first.sum())]
        self._from = starts[first] // GRAIN
        length = ends[last] // GRAIN + 1 - self._from
        self._to = self._from + length
        self._base = np.cumsum(length) - length
        self._table: NDArray[np.int32] = np.full(int(length.sum()), -1, np.int32)
        run = np.cumsum(first) - 1
        self._table[self._base[run] + starts // GRAIN - self._from[run]] = np.arange(len(starts), dtype=np.int32)
        np.maximum.accumulate(self._table, out=self._table)

    def index(self, addresses: Addresses) -> NDArray[np.int32]:
        """Returns the block that each address is in, or -1."""
        found = np.full(len(addresses), -1, np.int32)
        # In slices, so that what is reckoned on the way stays in the processor's cache.
        for at in range(0, len(addresses) if len(self.starts) else 0, SLICE):
            self._look_up(addresses[at : at + SLICE], found[at : at + SLICE])
        return found

    def _look_up(self, addresses: Addresses, found: NDArray[np.int32]) -> None:
        grain = addresses // GRAIN
        run = np.searchsorted(self._from, grain, "right") - 1
        inside = np.flatnonzero((run >= 0) & (grain < self._to[np.maximum(run, 0)]))
        run = run[inside]
        block = self._table[self._base[run] + grain[inside] - self._from[run]]
        address = addresses[inside]
        # The grain in which one block begins may still belong to the block before.
        block -= (self.starts[block] > address) & (block > 0)
        good = (self.starts[block] <= address) & (address < self.ends[block])
        found[inside[good]] = block[good]
