"""The frames of a stopped thread's stack, by the tables that exceptions unwind by (.eh_frame), which stripped programs
have, too.

A table is found in memory: the program header of .eh_frame_hdr leads to addresses of functions, sorted. pyelftools
decodes the one entry that is asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

import numpy as np

from freehold_lab.owners.image import elf
from freehold_lab.owners.image.memory import PAGE, WORD, Image, Thread
from freehold_lab.owners.tables.modules import Module

TABLES = 0x6474E550  # the kind of program header that leads to .eh_frame_hdr
ENCODINGS = b"\x01\x1b\x03\x3b"  # of it: version 1, and the only encodings that linkers write
TABLE = 12  # bytes before its entries
MOST_ENTRY = 1 << 16  # bytes
MOST_FRAMES = 1000


@dataclass(frozen=True)
class Processor:
    """Numbers of registers in the tables."""

    general: tuple[int, ...]  # of Thread.registers
    stack_pointer: int
    return_address: int


PROCESSORS = {
    "x86-64": Processor((15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5), 7, 16),
    "AArch64": Processor(tuple(range(31)), 31, 30),
}


@dataclass(frozen=True)
class Frame:
    instruction: int  # where the function goes on
    end: int  # of its part of the stack


def frame_of(image: Image, modules: list[Module], thread: Thread, address: int) -> Frame | None:
    """Returns the frame that the address on the thread's stack is in, or None if no table leads there."""
    return next((each for each in _frames(image, modules, thread) if address < each.end), None)


def _frames(image: Image, modules: list[Module], thread: Thread) -> Iterator[Frame]:
    """Yields the frames from the innermost on, as far as they can be told."""
    processor = PROCESSORS[image.processor]
    registers = dict(zip(processor.general, thread.registers, strict=True))
    registers[processor.stack_pointer] = thread.stack_pointer
    at = thread.instruction_pointer
    for number in range(MOST_FRAMES):
        # A call may be the last instruction of a function: then it goes on where the next one begins.
        row = _row(image, modules, at - (number > 0))
        if row is None or not hasattr(row["cfa"], "reg") or row["cfa"].reg not in registers:
            return
        end = registers[row["cfa"].reg] + row["cfa"].offset
        if end <= registers[processor.stack_pointer] and number:
            return
        yield Frame(at, end)
        for register, rule in row.items():
            if isinstance(register, int) and rule.type == "OFFSET":
                registers[register] = image.word(end + rule.arg)
        if processor.return_address not in registers:
            return
        at = registers[processor.return_address]
        registers[processor.stack_pointer] = end


def _row(image: Image, modules: list[Module], at: int) -> dict | None:  # type: ignore[type-arg]
    """Returns what the table says of the registers at an instruction."""
    from elftools.common.exceptions import ELFError
    from elftools.dwarf.callframe import FDE, CallFrameInfo
    from elftools.dwarf.structs import DWARFStructs

    entries = _entries(image, modules, at)
    if entries is None:
        return None
    start, raw = entries
    structs = DWARFStructs(little_endian=True, dwarf_format=32, address_size=WORD)
    try:
        of_frames = CallFrameInfo(BytesIO(raw), len(raw), 0, structs, for_eh_frame=True)
        entry = next(each for each in of_frames.get_entries() if isinstance(each, FDE))
        begin = entry["initial_location"]
        if not start <= at < start + entry["address_range"]:
            return None
        found = [each for each in entry.get_decoded().table if each["pc"] - begin <= at - start]
    except (ELFError, StopIteration, KeyError, ValueError, IndexError):
        return None
    return found[-1] if found else None


def _entries(image: Image, modules: list[Module], at: int) -> tuple[int, bytes] | None:
    """Returns where the function of an instruction begins, and its entry behind the one that this leads to."""
    table = next((found for each in modules if (found := _table(image, each, at))), None)
    if table is None:
        return None
    places = np.frombuffer(image.bytes(table + TABLE, image.word(table + WORD) % (1 << 32) * WORD), np.int32)
    starts, entries = places[::2], places[1::2]
    index = int(np.searchsorted(starts, at - table, "right")) - 1
    if index < 0:
        return None
    entry = table + int(entries[index])
    place = entry + 4
    common = place - int.from_bytes(image.bytes(place, 4), "little")
    first, second = (_raw(image, each) for each in (common, entry))
    if not first or not second:
        return None
    back = (len(first) + 4).to_bytes(4, "little")
    return table + int(starts[index]), first + second[:4] + back + second[8:]


def _raw(image: Image, at: int) -> bytes:
    length = int.from_bytes(image.bytes(at, 4), "little")
    return image.bytes(at, 4 + length) if 4 < length < MOST_ENTRY else b""


def _table(image: Image, module: Module, at: int) -> int:
    """Returns where .eh_frame_hdr is, if the module has the code, or 0."""
    headers = list(elf.headers(image.bytes(module.start, PAGE)))
    address = at - module.base
    if not any(each.kind == elf.LOADED and each.address <= address < each.end for each in headers):
        return 0
    place = next((module.base + each.address for each in headers if each.kind == TABLES), 0)
    return place if place and image.bytes(place, len(ENCODINGS)) == ENCODINGS else 0
