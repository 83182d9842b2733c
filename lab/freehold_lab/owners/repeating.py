"""Reads a process again and again, until it ends or Ctrl-C. Reports are kept, images are not."""

import os
import select
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from freehold_lab.errors import LabError, say
from freehold_lab.heap.page import size
from freehold_lab.owners.answers import report as reports
from freehold_lab.owners.answers import saving, words
from freehold_lab.owners.answers.report import Report
from freehold_lab.owners.image import rights


def keep(process: int, seconds: int, take: Callable[[], Report]) -> None:
    """Raises LabError if the first report cannot be had."""
    kept: list[Path] = []
    end = _Ending(rights.check(process))
    try:
        while True:
            began = time.monotonic()
            _keep_one(process, take, kept, end)
            if end.comes_within(max(0.0, began + seconds - time.monotonic())):
                print(f"process {process} has ended")
                break
    except KeyboardInterrupt:
        pass
    finally:
        end.close()
    if len(kept) > 1:
        print(f"what has grown: freehold owners --diff {kept[0]} {kept[-1]}")


def _keep_one(process: int, take: Callable[[], Report], kept: list[Path], end: "_Ending") -> None:
    """Writes a report. A fault is only told if there is one already: the next may succeed."""
    path = Path(f"owners-{process}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.json")
    try:
        report = take()
        saving.create(path, reports.write(report))
    except LabError as fault:
        if not kept:
            raise
        if not end.comes_within(0):
            say(str(fault))
        return
    kept.append(path)
    objects = sum(each.objects for each in report.types)
    total = size(sum(each.bytes for each in report.types))
    print(f"{path}: {objects:,} objects, {total}. {words.leaks(report)}", flush=True)


class _Ending:
    """Waits for the end of a process, and takes no other for it that gets its number."""

    def __init__(self, process: int) -> None:
        try:
            self._handle = os.pidfd_open(process)
        except OSError as error:
            raise LabError(f"process {process} cannot be waited for: {error.strerror}") from error
        self._poll = select.poll()
        self._poll.register(self._handle, select.POLLIN)

    def comes_within(self, seconds: float) -> bool:
        return bool(self._poll.poll(seconds * 1000))

    def close(self) -> None:
        os.close(self._handle)
