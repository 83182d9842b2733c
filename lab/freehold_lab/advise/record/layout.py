"""The memory that the program shares with this command: src/recorder/shared.hpp, as numpy reads it."""

import mmap
import os

import numpy as np

MAGIC = 0x3130445644414846
CHUNK_BYTES = 256 * 1024
MOST_CHUNKS = 4096
MOST_PROCESSES = 65536
MOST_BEHIND = 256  # full chunks: a program that is further ahead waits
NO_PARENT = 0xFFFFFFFF
MOST_NAMED = 4
NAME = "S48"
PROCESSES_AT = 384
UNUSED, OWNED, FULL = range(3)

PROCESS = np.dtype([("pid", "<u4"), ("parent", "<u4")])
CHUNK = np.dtype(
    {
        "names": ["state", "process", "thread", "number", "used"],
        "formats": ["<u4"] * 5,
        "offsets": [0, 4, 8, 12, 16],
        "itemsize": 64,
    }
)
HEADER = np.dtype(
    {
        "names": [
            *("magic", "reader", "closed", "processes", "filled", "emptied", "most_behind"),
            *("waits", "waited_nanoseconds", "lost", "cut", "sampled_bytes", "unrecorded"),
            *("unrecorded_name", "process", "chunk"),
        ],
        "formats": [
            *("<u8", *["<u4"] * 6, *["<u8"] * 5, "<u4"),
            *((NAME, MOST_NAMED), (PROCESS, MOST_PROCESSES), (CHUNK, MOST_CHUNKS)),
        ],
        "offsets": [
            *(0, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 72),
            *(76, PROCESSES_AT, PROCESSES_AT + PROCESS.itemsize * MOST_PROCESSES),
        ],
    }
)
HEADER_BYTES = -(-HEADER.itemsize // 4096) * 4096


class Shared:
    """The mapping, in memory that a child may open by `path` while this process lives."""

    def __init__(self, sampled_bytes: int = 0) -> None:
        """One byte in `sampled_bytes` is chosen; 0: all is recorded."""
        self._file = os.memfd_create("freehold-recording")
        os.truncate(self._file, HEADER_BYTES + CHUNK_BYTES * MOST_CHUNKS)
        self._memory = mmap.mmap(self._file, 0)
        self.header = np.frombuffer(self._memory, HEADER, 1)[0]
        self.chunks = self.header["chunk"]
        self.header["reader"] = os.getpid()
        self.header["most_behind"] = MOST_BEHIND
        self.header["sampled_bytes"] = sampled_bytes
        self.header["magic"] = MAGIC
        self.path = f"/proc/{os.getpid()}/fd/{self._file}"

    def read(self, chunk: int) -> bytes:
        """Returns the whole events of a chunk."""
        start = HEADER_BYTES + chunk * CHUNK_BYTES
        return self._memory[start : start + int(self.chunks[chunk]["used"])]

    def close(self) -> None:
        """Effects: programs that still run record nothing more."""
        self.header["closed"] = 1
        os.close(self._file)
