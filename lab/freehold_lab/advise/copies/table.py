"""The table of lines of a file: whose lines its addresses have."""

import re
from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from freehold_lab.advise.analysis import inlining
from freehold_lab.advise.copies.binutils import objdump

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

COUNTING = ("atomicity.h", "shared_ptr_base.h", "shared_ptr.h")  # where owners are added
HEADING = re.compile(r"^(?:CU: )?(\S.*):(?:\[\+\+\])?$")
ROW = re.compile(r"^(\S.*?)\s+(\d+|-)\s+(0x[0-9a-f]+|0)\b")


class Table:
    def __init__(self, path: str, elf: "ELFFile") -> None:
        rows: dict[int, tuple[bool, bool]] = {}
        known = _libraries(elf)
        heading, is_library = "", False
        for line in objdump("-w", "--dwarf=decodedline", path):
            if found := HEADING.match(line):
                heading, is_library = PurePosixPath(found[1]).name, inlining.is_library(found[1])
            elif found := ROW.match(line):
                if found[1] != heading:  # objdump has no heading where the code of another function begins
                    heading, is_library = found[1], known.get(found[1], False)
                at = int(found[3], 16)
                was_own, was_counting = rows.get(at, (False, False))
                is_own = not is_library and found[2] not in ("0", "-")
                rows[at] = (is_own or was_own, heading in COUNTING or was_counting)
        self._rows = np.array(sorted(rows), np.int64)
        flags = np.array([rows[each] for each in sorted(rows)], bool).reshape(-1, 2)
        self._is_own, self._is_counting = flags[:, 0], flags[:, 1]

    def is_counting(self, addresses: list[int]) -> NDArray[np.bool_]:
        """Returns whether the lines of the addresses are of headers that count owners."""
        if not len(self._rows):
            return np.zeros(len(addresses), bool)
        at = np.searchsorted(self._rows, np.array(addresses, np.int64), "right") - 1
        return np.where(at >= 0, self._is_counting[at], False)

    def is_library(self, start: int, end: int) -> bool:
        """Returns whether there are lines between the addresses, and none of the author's."""
        first, last = np.searchsorted(self._rows, [start, end])
        return bool(first < last and not self._is_own[first:last].any())


def _libraries(elf: "ELFFile") -> dict[str, bool]:
    """Returns which names only files of libraries have."""
    paths = defaultdict(set)
    debug = elf.get_dwarf_info()
    for unit in debug.iter_CUs():
        program = debug.line_program_for_CU(unit)
        header = program.header if program else {"file_entry": []}
        for each in header["file_entry"]:
            at = each.dir_index - (header["version"] < 5)
            folder = header["include_directory"][at] if at >= 0 else b""
            paths[each.name.decode(errors="replace")].add(folder.decode(errors="replace") + "/")
    return {name: all(inlining.is_library(each) for each in folders) for name, folders in paths.items()}
