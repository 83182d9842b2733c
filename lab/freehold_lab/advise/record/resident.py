"""How much memory the processes of a program have at most, of that which is no file's."""

import mmap
from pathlib import Path

from freehold_lab.advise.record.layout import Shared


class Resident:
    """What is seen whenever one looks; a peak between two looks is not."""

    def __init__(self, shared: Shared) -> None:
        self.most: dict[int | None, int] = {}  # bytes, by the number of the process; None: `root` before it has one
        self.root = 0  # the process that was started
        self._shared = shared
        self._known = 0  # processes that have a number
        self._alive: dict[int, int | None] = {}  # numbers by pid

    def look(self) -> None:
        if self.root and not self._known:
            self._alive[self.root] = None
        count = int(self._shared.header["processes"])
        pids = self._shared.header["process"]["pid"][self._known : count]
        self._alive |= {int(pid): number for number, pid in enumerate(pids, self._known)}
        self._known = count
        for pid, number in list(self._alive.items()):
            now = _anonymous(pid)
            if now is None:
                del self._alive[pid]
            else:
                self.most[number] = max(now, self.most.get(number, 0))


def _anonymous(pid: int) -> int | None:
    try:
        _, resident, of_files, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return None
    return max(int(resident) - int(of_files), 0) * mmap.PAGESIZE
