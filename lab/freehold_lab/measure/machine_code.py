"""x86-64 machine code in ELF files, decoded with capstone."""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from capstone import CS_ARCH_X86, CS_MODE_64, Cs, CsInsn
from capstone.x86 import X86_INS_XCHG, X86_OP_MEM, X86_PREFIX_LOCK
from elftools.common.exceptions import ELFError
from elftools.elf.constants import P_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from freehold_lab.errors import LabError

LONGEST_INSTRUCTION = 15


def decoder() -> Cs:
    capstone = Cs(CS_ARCH_X86, CS_MODE_64)
    capstone.detail = True
    return capstone


def is_locked(instruction: CsInsn) -> bool:
    """Says whether this is a locked read-modify-write: it has a lock prefix, or exchanges a register with memory,
    which locks without one."""
    if instruction.prefix[0] == X86_PREFIX_LOCK:
        return True
    return instruction.id == X86_INS_XCHG and any(operand.type == X86_OP_MEM for operand in instruction.operands)


def open_elf(file: BinaryIO, path: Path) -> ELFFile:
    """Returns the open `file` as an ELF file of this machine's kind."""
    try:
        elf = ELFFile(file)
    except ELFError as error:
        raise LabError(f"{path} is not an ELF file: {error}") from error
    if elf.get_machine_arch() != "x64":
        raise LabError(f"{path} holds code for {elf.get_machine_arch()}; only x86-64 code can be read")
    return elf


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
        self._decoder = decoder()
        self._locked: dict[int, bool] = {}
        self._lock = Lock()
        try:
            with path.open("rb") as file:
                self._segments = [
                    (segment["p_vaddr"], segment.data())
                    for segment in open_elf(file, path).iter_segments("PT_LOAD")
                    if segment["p_flags"] & P_FLAGS.PF_X
                ]
        except OSError as error:
            raise LabError(f"cannot read {path}: {error.strerror}") from error

    def is_locked_at(self, address: int) -> bool:
        """Says whether the instruction there is a locked read-modify-write. Any thread may ask."""
        if address not in self._locked:
            with self._lock:  # a decoder works for one thread at a time
                self._locked[address] = is_locked(self.instruction_at(address))
        return self._locked[address]

    def instruction_at(self, address: int) -> CsInsn:
        """Returns the instruction at the virtual `address` that the file gives it, before any relocation."""
        for start, code in self._segments:
            if start <= address < start + len(code):
                offset = address - start
                for instruction in self._decoder.disasm(code[offset : offset + LONGEST_INSTRUCTION], address, count=1):
                    return instruction
        raise LabError(f"{self._path} has no instruction at {address:#x}")
