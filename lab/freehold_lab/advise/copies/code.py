"""Where the machine code of a file adds owners, and which of its functions only the library's lines are in."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from freehold_lab.advise.analysis import inlining
from freehold_lab.advise.analysis.inlining import Frame
from freehold_lab.advise.copies import instructions
from freehold_lab.advise.copies.instructions import COPY, LOCK
from freehold_lab.advise.copies.table import Table
from freehold_lab.owners.tables import symbols

# The functions that add an owner, by a part of their symbols, in libstdc++.
ADDING = {"_M_add_ref_copy": COPY, "_M_add_ref_lock": LOCK}
ADDITION = "__atomic_add"  # what does nothing but add
NEAR = 64  # bytes in which a sum is stored
OF_LIBCXX = b"St3__119__shared_weak_count"


@dataclass(frozen=True)
class Increment:
    kind: str
    owners: int  # that it adds


class Code:
    def __init__(self, path: str, names: dict[int, list[str]], table: Table, uses_libcxx: bool) -> None:
        self.uses_libcxx = uses_libcxx
        self._path = path
        self._names = names  # of functions, by where they start
        self._starts = sorted(names)
        self._table = table
        self._instructions = instructions.read(path)

    @cached_property
    def increments(self) -> dict[int, Increment]:
        adding = self._instructions.adding
        asked = [at for at, is_here in zip(adding, self._table.is_counting(list(adding)), strict=True) if is_here]
        found = {}
        sums: dict[tuple[Frame, ...], int] = {}  # where the last was, by the places that it is inlined in
        for address, frames in inlining.of(self._path, asked).items():
            kind = next((kind for each in frames for part, kind in ADDING.items() if part in each.symbol), "")
            is_sum = kind == LOCK or ADDITION in frames[0].symbol
            if not kind or not is_sum or not (owners := instructions.owners(kind, adding[address])):
                continue
            place = tuple(frames[1:])
            if not instructions.is_store(adding[address]):
                sums[place] = address
            elif address - sums.get(place, -NEAR) < NEAR:
                continue
            found[address] = Increment(kind, owners)
        return found

    @cached_property
    def counting(self) -> set[int]:
        """The library's functions that add an owner themselves."""
        return {start for each in self.increments if self._is_library(start := self._function(each))}

    @cached_property
    def passing(self) -> set[int]:
        """The library's functions that call these, or call those that do."""
        callers = defaultdict(set)
        for source, target in self._instructions.calls:
            callers[target].add(self._function(source))
        found: set[int] = set()
        new = set(self.counting)
        while new:
            new = {start for each in new for start in callers[each] if self._is_library(start)}
            new -= found | self.counting
            found |= new
        return found

    def symbols_of(self, starts: Iterable[int]) -> list[str]:
        return [name for start in sorted(starts) for name in sorted(self._names[start])]

    def _function(self, address: int) -> int:
        at = bisect_right(self._starts, address) - 1
        return self._starts[at] if at >= 0 else 0

    def _is_library(self, start: int) -> bool:
        at = bisect_right(self._starts, start)
        return at < len(self._starts) and self._table.is_library(start, self._starts[at])


@cache
def of(path: str) -> Code | None:
    """Returns nothing of a file without lines. Raises LabError if binutils is missing."""
    from elftools.common.exceptions import DWARFError, ELFError
    from elftools.elf.elffile import ELFFile

    names: dict[int, set[str]] = defaultdict(set)
    uses_libcxx = False
    try:
        with Path(path).open("rb") as file:
            elf = ELFFile(file)
            if elf.get_section_by_name(".debug_line") is None:
                return None
            for table, strings in symbols.tables(elf):
                uses_libcxx |= OF_LIBCXX in strings
                for each in table[np.isin(table["info"] & 15, symbols.FUNCTIONS) & (table["value"] != 0)]:
                    names[int(each["value"])].add(symbols.text(strings, int(each["name"])))
            return Code(path, {start: sorted(each) for start, each in names.items()}, Table(path, elf), uses_libcxx)
    except (OSError, ELFError, DWARFError, ValueError):
        return None
