"""Counts the copies of an unmodified program, by one run under valgrind."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from freehold_lab.advise.analysis import inlining
from freehold_lab.advise.copies import attributing, callgrind, code, files
from freehold_lab.advise.copies.attributing import Copies
from freehold_lab.errors import LabError, say


@dataclass
class Counted:
    status: int
    instructions: int
    copies: Copies
    notes: list[str] = field(default_factory=list)

    @property
    def total(self) -> "Counter[str]":
        return sum(self.copies.of_lines.values(), Counter[str]())


def count(command: Sequence[str]) -> Counted:
    """Raises LabError if the program cannot be run, or no line of it is known."""
    codes = [found for each in files.of(command[0]) if (found := code.of(each))]
    if not codes:
        raise LabError(f"{command[0]} has no lines to tell: build it with -g")
    passing = [name for each in codes for name in each.symbols_of(each.passing)]
    apart = [name for each in codes for name in each.symbols_of(each.counting)]
    say("running the program once, under valgrind …")
    with tempfile.TemporaryDirectory(prefix="freehold-advise-") as folder:
        profile = callgrind.run(command, Path(folder), passing, apart)
    counted = Counted(profile.status, profile.instructions, attributing.attribute(profile))
    if counted.copies.estimated:
        counted.notes.append("Lines with ≈ share what a function of the library copied for several of them.")
    if any(each.uses_libcxx for each in codes):
        counted.notes.append("Copies of libc++'s shared pointers are not counted.")
    if not inlining.is_exact():
        counted.notes.append("Copies in what clang++ compiled may be missing: llvm-addr2line is not installed.")
    return counted
