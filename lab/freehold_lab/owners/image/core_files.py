"""What a core file leaves out since it is in a file that was mapped."""

import mmap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from freehold_lab.errors import LabError
from freehold_lab.owners.image import elf
from freehold_lab.owners.image.memory import PAGE, Image, Segment
from freehold_lab.owners.image.reading import Bytes

DELETED = " (deleted)"
# Files that exist only in memory: without what the core has of them, nothing is known.
IN_MEMORY = ("/memfd:", "/dev/shm/", "/dev/zero", "/SYSV")

UNKNOWN = ""  # permissions of what gcore leaves out
MAY_BE_WRITABLE = "rw-p"


@dataclass(frozen=True)
class Mapped:
    """An entry of the note NT_FILE."""

    start: int
    end: int
    offset: int
    name: str


def mapped(note: Any) -> list[Mapped]:
    found = []
    for entry, name in zip(note["Elf_Nt_File_Entry"], note["filename"], strict=True):
        text = name if isinstance(name, str) else name.decode(errors="surrogateescape")
        found.append(Mapped(entry["vm_start"], entry["vm_end"], entry["page_offset"] * note["page_size"], text))
    return found


def complete(image: Image, core: Path, names: list[Mapped] | None, sysroot: Path | None) -> None:
    """Names the segments, and reads those parts of programs and libraries that the core leaves out. Raises LabError if
    a file is missing, or of another build."""
    image.file = _finder(sysroot)
    if names is None:
        image.notes.append(
            f"{core.name} does not say which files were mapped (qemu-user writes such cores): programs and libraries "
            "were not read"
        )
        return
    for entry in names:
        segment = image.segment(entry.start)
        if segment is None:
            permissions = "rw-s" if entry.name.startswith(IN_MEMORY) else UNKNOWN
            segment = Segment(entry.start, entry.end, permissions, unread=entry.end - entry.start)
            image.segments.append(segment)
        segment.name, segment.offset = entry.name, entry.offset + segment.start - entry.start
    image.refresh()
    by_name: dict[str, list[Segment]] = {}
    for segment in image.segments:
        if segment.is_file:
            by_name.setdefault(segment.name, []).append(segment)
    for name, segments in by_name.items():
        if any(each.unread for each in segments):
            _read_file(image, core, name, segments)
    for segment in image.segments:
        segment.permissions = segment.permissions or "r--p"


def _finder(sysroot: Path | None) -> Callable[[str], Path]:
    return lambda name: (sysroot or Path("/")) / name.removesuffix(DELETED).lstrip("/")


def _read_file(image: Image, core: Path, name: str, segments: list[Segment]) -> None:
    path = image.file(name)
    first = [each.data for each in segments if each.offset == 0 and each.data is not None]
    begin = first[0][:PAGE].tobytes() if first else b""
    is_module = begin.startswith(elf.MAGIC) or any(each.is_code for each in segments)
    try:
        with path.open("rb") as file:
            is_module = is_module or file.read(4) == elf.MAGIC
            unknown = [each for each in segments if each.permissions == UNKNOWN]
            if not is_module and not unknown:
                return
            whole = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except (OSError, ValueError) as error:
        if is_module:
            raise LabError(
                f"{core} needs the file {name}, which cannot be read as {path}: give the folder that has the files of "
                "the machine where the program ran: --sysroot FOLDER"
            ) from error
        for each in segments:
            each.permissions = each.permissions or MAY_BE_WRITABLE
        return
    if not is_module:  # a program may have written addresses into the file before it mapped it
        for each in unknown:
            each.permissions = MAY_BE_WRITABLE
            _take(each, whole)
        return
    if begin and not elf.are_of_one_build(begin, whole[: len(begin)].tobytes()):
        raise LabError(
            f"{path} is of another build than the file in {core} (build-id {_shown(whole.tobytes()[:PAGE])}, there "
            f"{_shown(begin)}): give the folder that has the files of the machine where the program ran: "
            "--sysroot FOLDER"
        )
    if not begin:
        image.notes.append(f"{core.name} does not say of which build {name} is: {path} was not compared")
    for each in segments:
        if each.permissions == UNKNOWN:
            each.permissions = elf.permissions(whole[:PAGE].tobytes(), each.start - segments[0].start)
        if each.unread:
            _take(each, whole)


def _take(segment: Segment, whole: Bytes) -> None:
    """Takes the segment's bytes from its file. What is behind the end of the file is zero."""
    size = segment.end - segment.start
    data = whole[segment.offset : segment.offset + size]
    segment.data = data if len(data) == size else np.concatenate([data, np.zeros(size - len(data), np.uint8)])
    segment.unread = 0


def _shown(begin: bytes) -> str:
    return elf.build_id(begin)[:12] or "none"
