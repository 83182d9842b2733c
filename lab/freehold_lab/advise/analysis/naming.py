"""Names of return addresses: functions by the symbols of their files, lines where a file has debug information."""

import re
import shutil
import subprocess
from collections.abc import Collection
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from freehold_lab.advise.analysis.summary import Place
from freehold_lab.owners.tables import naming, symbols

OF_SYSTEM = ("/usr/include/", "/include/c++/")
OF_DEBUG = (".debug_info", ".zdebug_info")


class Names:
    """The names of places in modules. A file that has gone, or is no ELF file, tells none."""

    def __init__(self, modules: list[str]) -> None:
        self._modules = modules
        self._lines: dict[Place, tuple[str, str]] = {}  # the function that was inlined there, if one was, and the line

    def function(self, place: Place) -> str:
        """Returns such as "serve(int)" or, where no symbol tells, "server+0x1234"."""
        module, address = place
        if module < 0:
            return f"{address:#x}"
        path = self._modules[module]
        return _function(path, address - 1) or f"{Path(path).name}+{address:#x}"

    def module(self, place: Place) -> str:
        return Path(self._modules[place[0]]).name if place[0] >= 0 else ""

    def where(self, place: Place) -> tuple[str, str]:
        """Returns the function and such as "server.cpp:12", or the module where no line is known. It must have been
        looked up: then the function may be one that is inlined in that of the symbol."""
        return self._lines.get(place) or (self.function(place), self.module(place))

    def look_up_lines(self, places: Collection[Place]) -> None:
        """Asks addr2line, which is slow, for these alone."""
        program = shutil.which("addr2line")
        for module in {place[0] for place in places if place[0] >= 0}:
            mine = sorted({place for place in places if place[0] == module})
            if program and _has_lines(self._modules[module]):
                command = [
                    program,
                    "-a",
                    "-i",
                    "-f",
                    "-C",
                    "-e",
                    self._modules[module],
                    *(hex(each - 1) for _, each in mine),
                ]
                told = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout
                for place, lines in zip(mine, re.split("^0x[0-9a-f]+\n", told, flags=re.MULTILINE)[1:], strict=False):
                    if found := _own_line(lines.splitlines()):
                        self._lines[place] = found


def _own_line(lines: list[str]) -> tuple[str, str] | None:
    """Returns the first that is no library's. A function and a line follow each other, then where that is inlined."""
    known = [
        (function, line.partition(" ")[0])
        for function, line in zip(lines[::2], lines[1::2], strict=False)
        if "?" not in line
    ]
    own = [each for each in known if not any(folder in each[1] for folder in OF_SYSTEM)]
    function, line = next(iter(own or known), ("", ""))
    return (naming.shorter(function), Path(line).name) if line else None


@cache
def _has_lines(path: str) -> bool:
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with Path(path).open("rb") as file:
            elf = ELFFile(file)
            return any(elf.get_section_by_name(each) is not None for each in OF_DEBUG)
    except (OSError, ELFError):
        return False


@cache
def _function(path: str, address: int) -> str:
    for functions, names in _tables(path):
        at = int(np.searchsorted(functions["value"], address, "right")) - 1
        if at >= 0 and address < int(functions[at]["value"]) + max(int(functions[at]["size"]), 1):
            return naming.demangled_function(symbols.text(names, int(functions[at]["name"])))
    return ""


@cache
def _tables(path: str) -> list[tuple[NDArray[np.void], bytes]]:
    """Returns the functions of a file, sorted, with their names."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with Path(path).open("rb") as file:
            return [(_functions(table), names) for table, names in symbols.tables(ELFFile(file))]
    except (OSError, ELFError, ValueError):
        return []


def _functions(table: NDArray[np.void]) -> NDArray[np.void]:
    found = table[np.isin(table["info"] & 15, symbols.FUNCTIONS) & (table["value"] != 0)]
    return np.take(found, np.argsort(found["value"], kind="stable"))
