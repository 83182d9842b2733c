"""The functions of an object file: their instructions, and which functions these call or jump to."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import cxxfilt
from capstone import CS_GRP_RET, CsInsn
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Symbol, SymbolTableSection

from freehold_lab.errors import LabError
from freehold_lab.measure.machine_code import open_elf, processor, symbol_table
from freehold_lab.measure.processors.processor import NOWHERE, Processor, destination, is_call, is_jump
from freehold_lab.model import Part


@dataclass(frozen=True)
class Function:
    processor: Processor
    instructions: list[CsInsn]
    targets: dict[int, str]  # by the address of a call or a jump: the name of the other function that it leads to
    mentions: dict[int, str]  # by the address of any other instruction: the name of what it reads, writes or points to

    def part(self) -> Part:
        """Returns how much code it is, without padding."""
        own = [instruction for instruction in self.instructions if instruction.id != self.processor.padding]
        return Part(instructions=len(own), bytes=sum(instruction.size for instruction in own))

    def locked(self) -> int:
        """Returns how many locked read-modify-writes stand in it, however often they are executed."""
        own = sum(self.processor.is_locked(instruction) for instruction in self.instructions)
        return own + sum(bool(self.processor.locked_functions.fullmatch(name)) for name in self.targets.values())

    def likely_path(self) -> Iterator[CsInsn]:
        """Walks the path on which every conditional branch falls through. Compilers lay out code so that what they
        take for likely comes next."""
        at = {instruction.address: instruction for instruction in self.instructions}
        address = self.instructions[0].address
        while instruction := at.pop(address, None):
            yield instruction
            address += instruction.size
            if instruction.group(CS_GRP_RET):
                return
            if self.processor.never_falls_through(instruction):
                address = NOWHERE if instruction.address in self.targets else destination(instruction)

    def likely_calls(self) -> Iterator[str]:
        """Yields the functions that the likely path calls or ends in, as far as they have a name."""
        for instruction in self.likely_path():
            if is_call(instruction) or self.processor.never_falls_through(instruction):
                yield from filter(None, [self.targets.get(instruction.address)])


def functions(path: Path, required: Collection[str]) -> dict[str, Function]:
    """Returns the functions in the object file by the name of their symbol; those `required` are among them. It was
    compiled with -ffunction-sections, so that what leads from one function to another is a relocation."""
    try:
        with path.open("rb") as file:
            elf = open_elf(file, path)
            table = symbol_table(elf, path)
            symbols = [symbol for symbol in table.iter_symbols() if _is_function(symbol)]
            code_for = processor(elf, path)
            found = {symbol.name: _function(elf, code_for, table, symbol, symbols) for symbol in symbols}
    except OSError as error:
        raise LabError(f"cannot read {path}: {error.strerror}") from error
    missing = required - found.keys()
    if missing:
        raise LabError(f"{path} has no function {min(missing)}")
    return found


def hot_and_cold(name: str, found: dict[str, Function]) -> tuple[Function, Function]:
    """Returns the function itself and the part that the compiler moved away, because it hardly ever runs; that may be
    empty."""
    return found[name], found.get(cold_name(name), Function(found[name].processor, [], {}, {}))


def cold_name(name: str) -> str:
    return f"{name}.cold"


def _is_function(symbol: Symbol) -> bool:
    return bool(symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF")


def _function(
    elf: ELFFile, code_for: Processor, table: SymbolTableSection, symbol: Symbol, symbols: list[Symbol]
) -> Function:
    section = elf.get_section(symbol["st_shndx"])
    start, size = symbol["st_value"], symbol["st_size"]
    instructions = list(code_for.decoder().disasm(section.data()[start : start + size], start))

    referred = _referred(elf, table, section.name, symbols)
    targets: dict[int, str] = {}
    mentions: dict[int, str] = {}
    for instruction in instructions:
        names = targets if is_call(instruction) or is_jump(instruction) else mentions
        for offset in range(instruction.address, instruction.address + instruction.size):
            if offset in referred:
                names[instruction.address] = referred[offset]
    return Function(code_for, instructions, targets, mentions)


def _referred(elf: ELFFile, table: SymbolTableSection, section: str, symbols: list[Symbol]) -> dict[int, str]:
    """Returns the demangled names of what the relocations of `section` refer to, by their offsets."""
    relocations = elf.get_section_by_name(f".rela{section}")
    if not isinstance(relocations, RelocationSection):
        return {}
    only_function_in = {symbol["st_shndx"]: symbol.name for symbol in symbols}
    names = {}
    for relocation in relocations.iter_relocations():
        symbol = table.get_symbol(relocation["r_info_sym"])
        name = symbol.name or only_function_in.get(symbol["st_shndx"])
        if name:
            names[relocation["r_offset"]] = _demangled(name)
    return names


def _demangled(name: str) -> str:
    try:
        return str(cxxfilt.demangle(name))
    except cxxfilt.InvalidName:  # of a newer kind than the demangler knows
        return name
