"""Empties the chunks that a program fills, into a file."""

import struct
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from freehold_lab.advise.record import codec
from freehold_lab.advise.record.layout import FULL, OWNED, UNUSED, Shared
from freehold_lab.advise.record.resident import Resident

# At the start: the codec, and in how many bytes one is chosen, or 0.
HEADER = struct.Struct("<4sQ")
# Before each chunk: the process, the thread, which of its chunks, the bytes of its events, and those in the file.
FRAME = struct.Struct("<IIIII")
PAUSE = 0.002  # seconds, when no chunk is full
BETWEEN_SEARCHES = 0.5  # for processes that have ended


class Keeper:
    """A thread that empties chunks from its start to `finish`."""

    def __init__(self, shared: Shared, path: Path) -> None:
        self.fault: OSError | None = None  # a full disk ends the recording, and not the program
        self.event_bytes: Counter[int] = Counter()  # of each process, before they were compressed
        self.resident = Resident(shared)
        self._shared = shared
        self._file = path.open("wb")
        name, self._compress = codec.compressor()
        self._file.write(HEADER.pack(name.encode(), int(shared.header["sampled_bytes"])))
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def finish(self) -> None:
        """Effects: the recording ends, also in processes that the program has left behind."""
        self._is_done.set()
        self._thread.join()
        self._shared.close()
        for state in (FULL, OWNED):
            self._empty(np.flatnonzero(self._shared.chunks["state"] == state))
        self._close()

    def _run(self) -> None:
        try:
            self._keep()
        finally:
            if not self._is_done.is_set():  # a program must not wait for a reader that has gone
                self._shared.header["closed"] = 1

    def _keep(self) -> None:
        searched = time.monotonic()
        while not self._is_done.is_set() and self.fault is None:
            full = np.flatnonzero(self._shared.chunks["state"] == FULL)
            self._empty(full)
            self.resident.look()
            if time.monotonic() - searched > BETWEEN_SEARCHES:
                self._empty(self._left())
                searched = time.monotonic()
            if not len(full):
                self._is_done.wait(PAUSE)

    def _left(self) -> NDArray[np.int64]:
        """Returns the chunks of processes that have ended, or become another program."""
        owned = np.flatnonzero(self._shared.chunks["state"] == OWNED)
        owners = self._shared.chunks["process"][owned]
        pids = self._shared.header["process"]["pid"][: int(self._shared.header["processes"])]
        latest = {int(pid): number for number, pid in enumerate(pids)}
        ended = {
            number
            for number in set(map(int, owners))
            if latest.get(int(pids[number])) != number or not _is_alive(int(pids[number]))
        }
        return np.compress([int(each) in ended for each in owners], owned)

    def _empty(self, chunks: NDArray[np.int64]) -> None:
        for each in map(int, chunks):
            header = self._shared.chunks[each]
            text = self._shared.read(each)
            was_full = header["state"] == FULL
            try:
                self._write(header, text)
            except OSError as fault:
                self.fault = fault
                return
            header["state"] = UNUSED
            if was_full:
                self._shared.header["emptied"] += 1

    def _write(self, header: np.void, text: bytes) -> None:
        if not text:
            return
        stored = self._compress(text)
        self._file.write(FRAME.pack(header["process"], header["thread"], header["number"], len(text), len(stored)))
        self._file.write(stored)
        self.event_bytes[int(header["process"])] += len(text)

    def _close(self) -> None:
        try:
            self._file.close()
        except OSError as fault:
            self.fault = self.fault or fault


def _is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"
