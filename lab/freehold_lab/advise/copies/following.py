"""Runs a program that was rebuilt with the header of --shim, and reads what became of its copies."""

import os
import subprocess
import tempfile
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from freehold_lab.advise.analysis import inlining
from freehold_lab.advise.copies import local
from freehold_lab.advise.copies.attributing import UNKNOWN, Line
from freehold_lab.errors import LabError

COPIED, LOCKED, NEEDLESS, CONVERTED, CHANGED, KEPT, SOURCE_FIRST, MOVABLE, CROSSED = FIGURES = (
    *("copied", "locked", "needless", "converted", "changed", "kept", "source first", "movable", "crossed"),
)  # in the order of src/advise/copies_sites.hpp
ALL_NEEDLESS = (NEEDLESS, CONVERTED, CHANGED, KEPT)


@dataclass
class Followed:
    status: int
    copies: dict[Line, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    kinds: list[local.Kind] = field(default_factory=list)

    @property
    def total(self) -> "Counter[str]":
        return sum(self.copies.values(), Counter[str]())


def needless(counts: "Counter[str]") -> int:
    return sum(counts[each] for each in ALL_NEEDLESS)


def follow(command: Sequence[str]) -> Followed:
    """Raises LabError if the program cannot be run, or tells nothing at its end."""
    with tempfile.TemporaryDirectory(prefix="freehold-advise-") as folder:
        file = Path(folder) / "copies"
        try:
            status = subprocess.run(command, env=os.environ | {"FREEHOLD_COPIES": str(file)}).returncode
        except OSError as error:
            raise LabError(f"cannot run {command[0]}: {error.strerror}") from error
        if not file.exists():
            raise LabError(f"{command[0]} did not tell its copies: it must end by exit() or by returning from main()")
        return _read(file.read_text(errors="replace").splitlines(), status)


@dataclass(frozen=True, order=True)
class _Module:
    begin: int
    end: int
    base: int
    path: str


def _read(lines: Iterable[str], status: int) -> Followed:
    modules, sites, kinds = [], [], []
    for text in lines:
        word, *rest = text.split(" ", {"module": 4, "type": 1}.get(text.partition(" ")[0], -1))
        if word == "module":
            base, begin, end = (int(each, 16) for each in rest[:3])
            modules.append(_Module(begin, end, base, rest[3]))
        elif word == "type":
            kinds.append(rest[0])
        else:
            counts = Counter(dict(zip(FIGURES, map(int, rest), strict=False)))
            sites.append((+counts, [int(each, 16) - 1 for each in rest[len(FIGURES) :]]))
    found = _own_lines(sorted(modules), {frame for _, frames in sites for frame in frames})
    followed = Followed(status, kinds=local.read(kinds))
    for counts, frames in sites:
        line = next((found[each] for each in frames if each in found), UNKNOWN)
        if counts:
            followed.copies[line].update(counts)
    return followed


def _own_lines(modules: list[_Module], addresses: set[int]) -> dict[int, Line]:
    asked: dict[_Module, set[int]] = defaultdict(set)
    begins = [each.begin for each in modules]
    for address in addresses:
        at = bisect_right(begins, address) - 1
        if at >= 0 and address < modules[at].end and Path(modules[at].path).is_file():
            asked[modules[at]].add(address)
    return {
        address + module.base: Line(frame.path, frame.line, frame.symbol)
        for module, mine in asked.items()
        for address, frames in inlining.of(module.path, (each - module.base for each in mine)).items()
        if (frame := inlining.own(frames))
    }
