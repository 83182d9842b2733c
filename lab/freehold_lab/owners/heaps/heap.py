"""The blocks of an allocator, whichever it is."""

from dataclasses import dataclass, field

import numpy as np

from freehold_lab.owners.image.memory import Addresses, Flags

NO_RANGES = np.empty((0, 2), np.int64)


@dataclass
class Heap:
    """Blocks, sorted by address, which do not overlap."""

    allocator: str
    starts: Addresses
    ends: Addresses
    used: Flags  # handed out, and not given back
    private: Addresses = field(default_factory=lambda: NO_RANGES)  # the allocator's own memory: rows of start and end
    faults: list[str] = field(default_factory=list)  # why some blocks may be missing

    def index(self, addresses: Addresses) -> Addresses:
        """Returns the index of the block that each address is in, or -1."""
        place = np.searchsorted(self.starts, addresses, "right") - 1
        inside = (place >= 0) & (addresses < self.ends[np.maximum(place, 0)]) if len(self.starts) else place >= 0
        return np.where(inside, place, -1)

    def begins(self, address: int) -> int:
        """Returns the index of the block that begins there, or -1."""
        place = int(self.starts.searchsorted(address))
        return place if place < len(self.starts) and self.starts[place] == address else -1
