"""Names of addresses, from the symbols of a program and its libraries, where they are not stripped."""

import numpy as np

from freehold_lab.owners.image.memory import PAGE, WORD, Addresses, Image
from freehold_lab.owners.tables.modules import Module

SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
FIXED_ADDRESS = "ET_EXEC"
TABLE_HEADER = 2 * WORD  # a table's symbol is that of what stands before the first function


def at(image: Image, modules: list[Module], tables: Addresses) -> dict[int, str]:
    """Returns the symbols of those tables of virtual functions that have one."""
    found: dict[int, str] = {}
    for module in modules:
        mine = [each for each in tables if any(s.start <= each < s.end for s in module.segments)]
        if mine:
            found |= _symbols(image, module, np.array(mine, np.int64) - TABLE_HEADER, TABLE_HEADER)
    return found


def _symbols(image: Image, module: Module, addresses: Addresses, behind: int) -> dict[int, str]:
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with image.file(module.name).open("rb") as file:
            elf = ELFFile(file)
            base = 0 if elf["e_type"] == FIXED_ADDRESS else module.start - _first(elf)
            found: dict[int, str] = {}
            for name in (".symtab", ".dynsym"):
                section = elf.get_section_by_name(name)
                if section is None:
                    continue
                symbols = np.frombuffer(section.data(), SYMBOL)
                names = elf.get_section(section["sh_link"]).data()
                for each in symbols[np.isin(symbols["value"], (addresses - base).astype(np.uint64))]:
                    found.setdefault(int(each["value"]) + base + behind, _text(names, int(each["name"])))
            return found
    except (OSError, ELFError, ValueError):
        return {}  # names are a help; without the file there are none


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode("latin-1")


def _first(elf: object) -> int:
    """Returns the address that a file is linked for, of its first page."""
    from elftools.elf.elffile import ELFFile

    assert isinstance(elf, ELFFile)
    loaded = [int(each["p_vaddr"]) for each in elf.iter_segments() if each["p_type"] == "PT_LOAD"]
    return min(loaded, default=0) // PAGE * PAGE
