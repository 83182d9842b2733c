"""Counts the instructions and the locked operations that a program executes, with valgrind's callgrind.

The program says what is counted through the client requests in <valgrind/callgrind.h>: it switches collection on and
off and has what was collected dumped.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from freehold_lab.errors import LabError
from freehold_lab.measure import probe
from freehold_lab.measure.machine_code import Image

Reading = TypeVar("Reading")

# Callgrind's name for code that it finds in no file that it has read. It is counted, but what it is remains unknown.
OF_NO_FILE = "???"


@dataclass(frozen=True)
class Executed:
    """`unread` are instructions of which it is not known whether they are locked."""

    instructions: int
    locked: int
    unread: int = 0

    def __sub__(self, other: "Executed") -> "Executed":
        return Executed(self.instructions - other.instructions, self.locked - other.locked, self.unread - other.unread)


def run(command: Sequence[str], name: str, **variables: str) -> tuple[str, list[Executed]]:
    """Runs `command` under callgrind and returns what it prints on stdout and what was executed for each dump."""
    return collect(command, name, lambda dump: _executed(executions(dump, name)), **variables)


def collect(
    command: Sequence[str], name: str, read: Callable[[Path], Reading], **variables: str
) -> tuple[str, list[Reading]]:
    """Runs `command` under callgrind, with collection off at the start, and with `variables` in its environment.
    Returns what it prints on stdout and what is `read` from each dump that it asked for, in order; `name` is what
    messages call it."""
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "dump"
        # Positions and names in full, which need no decoder.
        valgrind = [
            *("valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={dump}"),
            *("--collect-atstart=no", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no"),
        ]
        text = probe.output([*valgrind, *command], name, **variables)
        dumps = sorted(Path(folder).glob("dump.*"), key=lambda path: int(path.suffix[1:]))
        return text, [read(path) for path in dumps]


def executions(dump: Path, name: str) -> Counter[tuple[str, int]]:
    """Returns how often the instruction at each address of each file was executed. Addresses are those of the file:
    callgrind has taken off where it was loaded."""
    counted: Counter[tuple[str, int]] = Counter()
    file, total = "", 0
    lines = iter(dump.read_text().splitlines())
    for line in lines:
        if line.startswith("0x"):
            address, _, times = line.split()
            counted[file, int(address, 16)] += int(times)
        elif line.startswith("ob="):
            file = line.removeprefix("ob=")
        elif line.startswith("calls="):
            next(lines)  # what the called function executed; that function has lines of its own
        elif line.startswith("totals:"):
            total = int(line.removeprefix("totals:"))
    if counted.total() != total:
        raise LabError(f"{name}: callgrind's dump adds up to {counted.total()} instructions, not to {total}")
    return counted


def inclusive(dump: Path) -> Counter[str]:
    """Returns how many instructions the calls of each function executed, in it and in what it called. A function that
    calls itself counts more than once."""
    counted: Counter[str] = Counter()
    called = ""
    lines = iter(dump.read_text().splitlines())
    for line in lines:
        if line.startswith("cfn="):
            called = line.removeprefix("cfn=")
        elif line.startswith("calls="):
            counted[called] += int(next(lines).split()[-1])
    return counted


def _executed(counted: Counter[tuple[str, int]]) -> Executed:
    image_of = cache(_image)
    locked = sum(
        times
        for (file, address), times in counted.items()
        if file != OF_NO_FILE and image_of(file).is_locked_at(address)
    )
    unread = sum(times for (file, _), times in counted.items() if file == OF_NO_FILE)
    return Executed(counted.total(), locked, unread)


def _image(file: str) -> Image:
    return _image_of_version(Path(file), Path(file).stat().st_mtime_ns)


@cache
def _image_of_version(path: Path, modified: int) -> Image:
    """Every probe has the shared libraries in common: what is known of them is kept from one to the next."""
    return Image(path)
