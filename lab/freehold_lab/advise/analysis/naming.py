"""Names of return addresses: functions by the symbols of their files, lines where a file has debug information."""

import itertools
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from freehold_lab.advise.analysis import inlining
from freehold_lab.advise.analysis.summary import Place
from freehold_lab.owners.tables import naming, symbols

OF_LIBRARY = re.compile(r"(^|[ *&])(std|__gnu_cxx)::|^operator new|^__libc_")
OF_CALLERS = re.compile(r"std::(thread::_State_impl|_Function_handler|__invoke|__future_base)")
OF_DEBUG = (".debug_info", ".zdebug_info")


class Names:
    """The names of places in modules. A file that has gone, or is no ELF file, tells none."""

    def __init__(self, modules: list[str]) -> None:
        self._modules = modules
        self._frames: dict[Place, list[inlining.Frame]] = {}  # whose lines are known

    def function(self, place: Place) -> str:
        """Returns such as "serve(int)" or, where no symbol tells, "server+0x1234"."""
        module, address = place
        if module < 0:
            return f"{address:#x}"
        path = self._modules[module]
        return _function(path, address - 1) or f"{Path(path).name}+{address:#x}"

    def around(self, place: Place) -> list[str]:
        """Returns the function there or, where a file has lost its name, those before and after it."""
        module, address = place
        path = self._modules[module]
        return [_function(path, address)] if _function(path, address) else _neighbors(path, address)

    def module(self, place: Place) -> str:
        return Path(self._modules[place[0]]).name if place[0] >= 0 else ""

    def where(self, place: Place) -> tuple[str, str]:
        """Returns the function and such as "server.cpp:12", or the module where no line is known. It must have been
        looked up: then the function may be one that is inlined in that of the symbol."""
        frames = self._frames.get(place, [])
        found = inlining.own(frames) or next(iter(frames), None)
        return (naming.shorter(found.function), found.where) if found else (self.function(place), self.module(place))

    def inlined(self, place: Place) -> list[str]:
        """Returns the functions there, innermost first: all that are inlined, if the place was looked up."""
        return [each.function for each in self._frames.get(place, [])] or [self.function(place)]

    def of_libraries(self, place: Place) -> list[str]:
        """Returns those of them that are a C++ library's, before the first that is not."""
        return list(itertools.takewhile(is_of_library, self.inlined(place)))

    def is_of_library(self, place: Place) -> bool:
        return len(self.of_libraries(place)) == len(self.inlined(place))

    def look_up_lines(self, places: Collection[Place]) -> None:
        """Asks addr2line, which is slow, for these alone."""
        for module in {place[0] for place in places if place[0] >= 0}:
            mine = {place for place in places if place[0] == module}
            if inlining.is_installed() and _has_lines(self._modules[module]):
                found = inlining.of(self._modules[module], (address - 1 for _, address in mine))
                for place in mine:
                    self._frames[place] = [each for each in found.get(place[1] - 1, []) if each.line]


def is_of_library(function: str) -> bool:
    """Whether a function is a C++ library's, and not one of the program with a library's type among its arguments; nor
    one in which a lambda of the program usually is inlined."""
    if "{lambda" in function and OF_CALLERS.search(function):
        return False
    return OF_LIBRARY.search(_without_templates(without_arguments(function))) is not None


def without_arguments(function: str) -> str:
    """Returns the name of a function as far as its parameters, which no reader needs to find it."""
    depth = 0
    for at, letter in enumerate(function):
        if letter == "(" and depth == 0 and at and function[at - 8 : at] != "operator":
            return function[:at]
        depth += (letter in "<{") - (letter in ">}")
    return function


def _without_templates(name: str) -> str:
    kept, depth = [], 0
    for letter in name:
        depth += letter == "<"
        if depth == 0:
            kept.append(letter)
        depth -= letter == ">" and depth > 0
    return "".join(kept)


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


def _neighbors(path: str, address: int) -> list[str]:
    found = []
    for functions, names in _tables(path):
        after = int(np.searchsorted(functions["value"], address, "right"))
        near = functions[max(after - 1, 0) : after + 1]
        found += [naming.demangled_function(symbols.text(names, int(each["name"]))) for each in near]
    return found


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
