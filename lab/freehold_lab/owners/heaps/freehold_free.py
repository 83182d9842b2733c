"""Which blocks in the slabs of Freehold's pool are free.

A block is if it is in a list of a heap or of a slab, in a batch on its way home, or in a page that was not cut yet.

A thread may be stopped in the middle of a change: a block may be in a list before its link is written. Then the thread
has its address in a register, and what comes after it counts as in use, as all that is not known to be free.
"""

import numpy as np

from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.heaps.lookup import Places
from freehold_lab.owners.image.memory import WORD, Addresses, Flags, Image, Thread

SLAB = 64 << 10
GRAIN, LARGEST_FINE = 16, 1024  # of slab_class
CLASSES = LARGEST_FINE // GRAIN + 1 + 3 * 8
PAGE_OF_SLAB = 4096
# Where the members of a slab are.
FREE, UNCUT, BATCHES = 64, 80, 88
# Where the members of a thread's heap are, behind a list for each class.
REMOTE, REMOTE_ENTRIES, REMOTE_BYTES, INBOX = 4608, 64, 80, 9792
HEAP_BYTES = 9856
MOST_IN_BATCH = 32
HEAD_OF_BATCH = 10  # bytes of a batch before the places
HOLDS_BATCH = 1 << 12  # in a place of a batch
CALLS_SYSTEM = {"x86-64": b"\x0f\x05", "AArch64": b"\x01\0\0\xd4"}  # the instruction


def mark(image: Image, heap: Heap, slabs: Addresses, homes: Addresses) -> None:
    """Effects: the blocks that are free are no longer called used."""
    _Free(image, heap, slabs, homes).mark()


def may_change_memory(image: Image, thread: Thread) -> bool:
    """Says whether the thread may be anywhere in the program's code. One that has called the system is not in the
    middle of a change: whatever the call may see was written before it."""
    call = CALLS_SYSTEM[image.processor]
    at = thread.instruction_pointer
    return call not in (image.bytes(at - len(call), len(call)), image.bytes(at, len(call)))


def are_batches(image: Image, heap: Heap, addresses: Addresses) -> Flags:
    """Says of blocks whether others are named there, as in a batch. While a thread has that in hand, nothing may lead
    to it yet, nor to a batch that it names."""
    found = np.zeros(len(addresses), bool)
    for number, each in enumerate(addresses.tolist()):
        head = image.bytes(each, HEAD_OF_BATCH + 2 * MOST_IN_BATCH)
        length, count = head[WORD], head[WORD + 1]  # of those that are named here, and of all
        places = np.frombuffer(head[HEAD_OF_BATCH:], np.uint16)[:length].astype(np.int64)
        named = each // SLAB * SLAB + places % HOLDS_BATCH * GRAIN
        found[number] = (
            0 < length < count and len(places) == length and all(heap.begins(int(block)) >= 0 for block in named)
        )
    return found


class _Free:
    def __init__(self, image: Image, heap: Heap, slabs: Addresses, homes: Addresses) -> None:
        self.image, self.heap, self.slabs, self.homes = image, heap, slabs, homes
        self.places = Places(heap.starts, heap.ends)
        busy = [each for thread in image.threads if may_change_memory(image, thread) for each in thread.registers]
        self.registers = np.array(busy, np.uint64).view(np.int64)
        self.in_hand: Flags = np.zeros(len(heap.starts) + 1, bool)  # blocks that registers lead to; the last is none
        self.in_hand[self.places.index(self.registers)] = True
        self.in_hand[-1] = False

    def mark(self) -> None:
        lists = (self.homes[:, None] + WORD * np.arange(CLASSES)).reshape(-1)
        self._chase(self.image.words(np.concatenate([lists, self.slabs + FREE])).view(np.int64))
        self._pages()
        inboxes = self.image.words(np.concatenate([self.slabs + BATCHES, self.homes + INBOX])).view(np.int64)
        for batch in inboxes[inboxes != 0]:
            self._batches(int(batch))
        for home in self.homes:
            self._remote(int(home))

    def _free(self, addresses: Addresses) -> Addresses:
        """Marks the blocks that begin at the addresses. Returns: those that were not marked before, and whose content
        is known."""
        index = self.places.index(addresses)
        new = (index >= 0) & (self.heap.starts[index] == addresses) & self.heap.used[index]
        self.heap.used[index[new]] = False
        known: Addresses = addresses[new & ~self.in_hand[index]]
        return known

    def _chase(self, heads: Addresses) -> None:
        """Marks the blocks of all the lists, one of each at a time."""
        blocks = heads
        while len(blocks):
            blocks = self.image.words(self._free(blocks)).view(np.int64)
            blocks = blocks[blocks != 0]

    def _pages(self) -> None:
        uncut = (self.image.words(self.slabs + UNCUT) & np.uint64(0xFFFF)).astype(np.int64)
        slab = np.searchsorted(self.slabs, self.heap.starts, "right") - 1
        page = (self.heap.starts - self.slabs[slab]) // PAGE_OF_SLAB
        self.heap.used[uncut[slab] >> page & 1 == 1] = False

    def _batches(self, batch: int) -> None:
        """Marks the blocks of a list of batches: those that are named, and those that name them."""
        waiting = [(batch, True)]
        for each, is_linked in waiting:
            if len(self._free(np.array([each]))) == 0:
                continue
            head = self.image.bytes(each, HEAD_OF_BATCH + 2 * MOST_IN_BATCH)
            link, length = int.from_bytes(head[:WORD], "little"), head[WORD]
            places = np.frombuffer(head[HEAD_OF_BATCH:], np.uint16)[:length].astype(np.int64)
            named = each // SLAB * SLAB + places % HOLDS_BATCH * GRAIN
            is_batch = places & HOLDS_BATCH != 0
            self._free(named[~is_batch])
            # One that is named is in no list: its link is what the program wrote there last, perhaps the address of a
            # block in use.
            waiting += [(int(inner), False) for inner in named[is_batch]]
            if link and is_linked:
                waiting.append((link, True))

    def _remote(self, home: int) -> None:
        """Marks the blocks of others that a heap has freed and not sent home."""
        # The length may be written before the last place.
        is_busy = bool(((self.registers >= home) & (self.registers < home + HEAP_BYTES)).any())
        raw = self.image.bytes(home + REMOTE, REMOTE_ENTRIES * REMOTE_BYTES)
        for at in range(0, len(raw), REMOTE_BYTES):
            origin, length = np.frombuffer(raw[at : at + 2 * WORD], np.uint64)
            places = np.frombuffer(raw[at + 2 * WORD : at + REMOTE_BYTES], np.uint16)[: int(length)]
            known = places[:-1] if is_busy else places
            self._free(int(origin) + known.astype(np.int64) * GRAIN)
