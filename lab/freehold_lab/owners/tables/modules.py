"""The program and its libraries: which memory is theirs."""

import struct
from dataclasses import dataclass, replace

from freehold_lab.owners.image.memory import PAGE, Image, Segment

PT_LOAD, PT_TLS = 1, 7
ELF = b"\x7fELF"


@dataclass(frozen=True)
class Module:
    name: str
    start: int
    segments: tuple[Segment, ...]  # with those of its variables that are zero at the start, which are in no file
    thread_bytes: int  # of its variables that each thread has


def find(image: Image) -> list[Module]:
    """Returns the modules. Effects: a segment that is partly a module's variables and partly heap becomes two."""
    found: dict[str, tuple[int, int, int]] = {}
    for segment in image.segments:
        if segment.is_file and segment.offset == 0 and image.bytes(segment.start, 4) == ELF:
            found.setdefault(segment.name, (segment.start, *_extent(image, segment.start)))
    whole = []
    for name, (start, end, thread_bytes) in found.items():
        mine = [each for each in image.segments if each.name == name and each.data is not None]
        last = max((each.end for each in image.segments if each.name == name), default=start)
        for each in [each for each in image.segments if last <= each.start < end and not each.is_file]:
            mine.append(_split(image, each, end))
        whole.append(Module(name, start, tuple(mine), thread_bytes))
    return whole


def _split(image: Image, segment: Segment, end: int) -> Segment:
    """Returns the part before `end`. Without randomized addresses the heap follows a program's variables at once."""
    if end >= segment.end:
        segment.name = segment.name if segment.name != "[heap]" else ""
        return segment
    cut = end - segment.start
    data = segment.data
    rest = replace(segment, start=end, data=data[cut:] if data is not None else None, unread=0)
    segment.end = end
    segment.data = data[:cut] if data is not None else None
    segment.name = ""
    image.segments.append(rest)
    image.refresh()
    return segment


def _extent(image: Image, base: int) -> tuple[int, int]:
    """Returns where the memory of the module at `base` ends, and the bytes of its variables of a thread."""
    header = image.bytes(base, PAGE)
    if len(header) < 64:
        return base, 0
    (table,) = struct.unpack_from("<Q", header, 32)
    size, count = struct.unpack_from("<HH", header, 54)
    first, end, thread_bytes = None, 0, 0
    for at in range(table, table + size * count, size or 1):
        if at + 56 > len(header):
            break
        kind, _, _, address, _, _, bytes_in_memory, _ = struct.unpack_from("<IIQQQQQQ", header, at)
        if kind == PT_LOAD:
            first = address if first is None else min(first, address)
            end = max(end, address + bytes_in_memory)
        elif kind == PT_TLS:
            thread_bytes = -(-bytes_in_memory // 64) * 64
    if first is None:
        return base, 0
    return (base - first // PAGE * PAGE + end + 15) // 16 * 16, thread_bytes
