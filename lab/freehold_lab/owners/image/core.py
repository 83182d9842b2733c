"""Reads a core file, as the kernel and gdb's gcore write them. It is mapped, not copied.

A core leaves out what is in files and was not written; that is read from the files."""

import mmap
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from freehold_lab.errors import LabError, distrusting
from freehold_lab.owners.image import core_files, elf, registers
from freehold_lab.owners.image.core_files import Mapped
from freehold_lab.owners.image.memory import Image, Segment, Thread
from freehold_lab.owners.image.reading import Bytes

PACKED = {
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ": "xz",
    b"\x04\x22\x4d\x18": "lz4",
    b"BZh": "bzip2",
}
IN_VDSO, IN_STACK = 33, 25  # AT_SYSINFO_EHDR, AT_RANDOM: addresses in the auxiliary vector
NUMBER, REGISTERS = 32, 112  # where the note NT_PRSTATUS has them


@dataclass
class Notes:
    threads: list[Thread] = field(default_factory=list)
    mapped: list[Mapped] | None = None
    places: dict[int, str] = field(default_factory=dict)  # names of the segments at addresses


def read(path: Path, sysroot: Path | None = None) -> Image:
    """Returns what is in the core. Raises LabError if it is none, or if a file is missing that it needs.

    `sysroot` is where the files of the machine are on which the program ran."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with path.open("rb") as file, distrusting(path):
            size = path.stat().st_size
            whole = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8) if size else None
            _check_begin(path, file.read(64))
            parsed = ELFFile(file)
            layout = registers.BY_MACHINE[_machine(path, parsed)]
            loads = [each for each in parsed.iter_segments() if each["p_type"] == "PT_LOAD"]
            end = max([each["p_offset"] + each["p_filesz"] for each in loads], default=0)
            if end > size:
                raise LabError(
                    f"{path} is truncated: it has {size:,} of {end:,} bytes; make room on the disk, and let the "
                    "system write the whole of it: ulimit -c unlimited"
                )
            notes = _notes(parsed, layout)
    except ELFError as error:
        raise LabError(f"{path} is truncated or damaged: {error}") from error
    except OSError as error:
        raise LabError(f"{path} cannot be read: {error.strerror}") from error
    segments = [_segment(each, whole) for each in loads if each["p_vaddr"] < 1 << 63]
    image = Image(path.name, layout.processor, segments, notes.threads)
    image.refresh()
    for address, name in notes.places.items():
        if segment := image.segment(address):
            segment.name = name
    core_files.complete(image, path, notes.mapped, sysroot)
    if not image.threads:
        image.has_all_stacks = False
        image.notes.append(f"{path.name} has no registers, so that nothing is known of threads' stacks")
    return image


def _check_begin(path: Path, begin: bytes) -> None:
    for magic, packer in PACKED.items():
        if begin.startswith(magic):
            raise LabError(f"{path} is packed by {packer}: unpack it first (coredumpctl dump -o core does that, too)")
    if not begin.startswith(elf.MAGIC):
        raise LabError(f"{path} is no core file")


def _machine(path: Path, parsed: Any) -> int:
    if parsed["e_type"] != "ET_CORE":
        raise LabError(f"{path} is a program or library, and no core file")
    machine = {"EM_X86_64": 62, "EM_AARCH64": 183}.get(parsed["e_machine"])
    if parsed.elfclass != 64 or machine is None:
        raise LabError(f"{path} is of a program for another processor; only x86-64 and AArch64 can be read")
    return machine


def _notes(parsed: Any, layout: registers.Layout) -> Notes:
    notes = Notes()
    for segment in parsed.iter_segments():
        for note in segment.iter_notes() if segment["p_type"] == "PT_NOTE" else ():
            kind, data = note["n_type"], note["n_descdata"]
            if kind == "NT_PRSTATUS":
                number = int.from_bytes(data[NUMBER : NUMBER + 4], "little")
                notes.threads.append(registers.thread(layout, number, data[REGISTERS:]))
            elif kind == registers.THREAD_POINTER and notes.threads:
                pointer = int.from_bytes(data[:8], "little")
                notes.threads[-1] = replace(notes.threads[-1], thread_pointer=pointer)
            elif kind == "NT_FILE":
                notes.mapped = core_files.mapped(note["n_desc"])
            elif kind == "NT_AUXV":
                values = {int(key): int(value) for key, value in np.frombuffer(data, np.uint64).reshape(-1, 2)}
                notes.places = {values.get(IN_VDSO, 0): "[vdso]", values.get(IN_STACK, 0): "[stack]"}
    return notes


def _segment(load: Any, whole: Bytes | None) -> Segment:
    start, offset, size = load["p_vaddr"], load["p_offset"], load["p_filesz"]
    segment = Segment(start, start + load["p_memsz"], elf.letters(load["p_flags"]))
    segment.unread = load["p_memsz"] - size
    if size and whole is not None:
        segment.data = whole[offset : offset + size]
        if offset % 8:  # words are read faster where they are aligned
            segment.data = segment.data.copy()
    return segment
