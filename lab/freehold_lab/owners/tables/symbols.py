"""Names of addresses, from the symbols of a program and its libraries, where they are not stripped."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.image.memory import WORD, Addresses, Image
from freehold_lab.owners.tables import naming
from freehold_lab.owners.tables.modules import Module

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
FUNCTION = 2  # a kind of symbol
FUNCTIONS = (FUNCTION, 10)  # and one that is chosen when the program is loaded
TABLE_HEADER = 2 * WORD  # a table's symbol is that of what stands before the first function


def at(image: Image, modules: list[Module], tables: Addresses) -> dict[int, str]:
    """Returns the symbols of those tables of virtual functions that have one."""
    found: dict[int, str] = {}
    for module in modules:
        mine = [each for each in tables if any(s.start <= each < s.end for s in module.segments)]
        if mine:
            found |= _symbols(image, module, np.array(mine, np.int64) - TABLE_HEADER, TABLE_HEADER)
    return found


def function(image: Image, modules: list[Module], instruction: int) -> str:
    """Returns such as "serve(int)+0x12 of server" or, where no symbol tells, "server+0x1234"; or nothing."""
    for module in modules:
        if any(each.start <= instruction < each.end for each in module.segments):
            name = module.name.rpartition("/")[2]
            symbol = _function(image, module, instruction)
            return f"{symbol} of {name}" if symbol else f"{name}+{instruction - module.start:#x}"
    return ""


def _function(image: Image, module: Module, instruction: int) -> str:
    from elftools.common.exceptions import ELFError

    try:
        with image.file(module.name).open("rb") as file:
            for symbols, names in _tables(file):
                offset = np.uint64(instruction - module.base)
                is_here = (symbols["info"] & 15 == FUNCTION) & (symbols["value"] <= offset)
                here = symbols[is_here & (offset < symbols["value"] + symbols["size"])]
                if len(here):
                    name = naming.demangled_function(text(names, int(here[0]["name"])))
                    return f"{name}+{int(offset - here[0]['value']):#x}"
    except (OSError, ELFError, ValueError):
        pass
    return ""


def _symbols(image: Image, module: Module, addresses: Addresses, behind: int) -> dict[int, str]:
    from elftools.common.exceptions import ELFError

    try:
        with image.file(module.name).open("rb") as file:
            found: dict[int, str] = {}
            for symbols, names in _tables(file):
                for each in symbols[np.isin(symbols["value"], (addresses - module.base).astype(np.uint64))]:
                    found.setdefault(int(each["value"]) + module.base + behind, text(names, int(each["name"])))
            return found
    except (OSError, ELFError, ValueError):
        return {}  # names are a help; without the file there are none


def _tables(file: BinaryIO) -> Iterator[tuple[NDArray[np.void], bytes]]:
    """Yields symbols and their names. Raises ELFError."""
    from elftools.elf.elffile import ELFFile

    yield from tables(ELFFile(file))


def tables(elf: "ELFFile") -> Iterator[tuple[NDArray[np.void], bytes]]:
    """Yields the tables of symbols of a file, each with their names. Raises ELFError."""
    for name in (".symtab", ".dynsym"):
        section = elf.get_section_by_name(name)
        if section is not None:
            yield np.frombuffer(section.data(), SYMBOL), elf.get_section(section["sh_link"]).data()


def text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode("latin-1")
