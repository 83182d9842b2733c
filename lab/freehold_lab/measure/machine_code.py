"""Machine code in ELF files, decoded with capstone. The file says for which processor it is."""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from capstone import CsInsn
from elftools.common.exceptions import ELFError
from elftools.elf.constants import P_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from freehold_lab.errors import LabError
from freehold_lab.measure.processors import PROCESSORS
from freehold_lab.measure.processors.processor import Processor


def open_elf(file: BinaryIO, path: Path) -> ELFFile:
    """Returns the open `file` as an ELF file."""
    try:
        return ELFFile(file)
    except ELFError as error:
        raise LabError(f"{path} is not an ELF file: {error}") from error


def processor(elf: ELFFile, path: Path) -> Processor:
    """Returns the processor that the code in the file is for."""
    name = elf.get_machine_arch()
    if name not in PROCESSORS:
        known = " and ".join(each.name for each in PROCESSORS.values())
        raise LabError(f"{path} holds code for {name}; only that for {known} can be read")
    return PROCESSORS[name]


def symbol_table(elf: ELFFile, path: Path) -> SymbolTableSection:
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        raise LabError(f"{path} has no symbol table")
    return table


def extents(path: Path, functions: Iterable[str]) -> dict[str, range]:
    """Returns the addresses of each function's code in the file, by the name of its symbol; none if there is none."""
    with path.open("rb") as file:
        table = symbol_table(open_elf(file, path), path)
        found = {name: table.get_symbol_by_name(name) or [] for name in functions}
        return {
            name: next((range(each["st_value"], each["st_value"] + each["st_size"]) for each in symbols), range(0))
            for name, symbols in found.items()
        }


class Image:
    """The executable segments of a program or a shared library."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._locked: dict[int, bool] = {}
        self._lock = Lock()
        try:
            with path.open("rb") as file:
                elf = open_elf(file, path)
                self._processor = processor(elf, path)
                self._segments = [
                    (segment["p_vaddr"], segment.data())
                    for segment in elf.iter_segments("PT_LOAD")
                    if segment["p_flags"] & P_FLAGS.PF_X
                ]
        except OSError as error:
            raise LabError(f"cannot read {path}: {error.strerror}") from error
        self._decoder = self._processor.decoder()

    def is_locked_at(self, address: int) -> bool:
        """Says whether the instruction there is a locked read-modify-write. Any thread may ask."""
        if address not in self._locked:
            with self._lock:  # a decoder works for one thread at a time
                self._locked[address] = self._processor.is_locked(self.instruction_at(address))
        return self._locked[address]

    def instruction_at(self, address: int) -> CsInsn:
        """Returns the instruction at the virtual `address` that the file gives it, before any relocation."""
        for start, code in self._segments:
            if start <= address < start + len(code):
                offset = address - start
                bytes_there = code[offset : offset + self._processor.longest_instruction]
                for instruction in self._decoder.disasm(bytes_there, address, count=1):
                    return instruction
        raise LabError(f"{self._path} has no instruction at {address:#x}")
