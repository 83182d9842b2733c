"""The program and its libraries: which memory is theirs."""

from dataclasses import dataclass, replace

import numpy as np

from freehold_lab.owners.image import elf
from freehold_lab.owners.image.memory import PAGE, Addresses, Image, Segment


@dataclass(frozen=True)
class Module:
    name: str
    start: int
    segments: tuple[Segment, ...]  # with those of its variables that are zero at the start, which are in no file
    thread_bytes: int  # of its variables that each thread has
    base: int = 0  # what is added to the addresses that its file is linked for


def find(image: Image) -> list[Module]:
    """Returns the modules. Effects: a segment that is partly a module's variables and partly heap becomes two."""
    found: dict[str, tuple[int, int, int, int]] = {}
    for segment in image.segments:
        if segment.is_file and segment.offset == 0 and image.bytes(segment.start, 4) == elf.MAGIC:
            found.setdefault(segment.name, (segment.start, *_extent(image, segment.start)))
    whole = []
    for name, (start, base, end, thread_bytes) in found.items():
        mine = [each for each in image.segments if each.name == name and each.data is not None]
        last = max((each.end for each in image.segments if each.name == name), default=start)
        for each in [each for each in image.segments if last <= each.start < end and not each.is_file]:
            mine.append(_split(image, each, end))
        whole.append(Module(name, start, tuple(mine), thread_bytes, base))
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


def _extent(image: Image, start: int) -> tuple[int, int, int]:
    """Returns the base of the module that begins there, where its memory ends, and the bytes of its variables of a
    thread."""
    headers = list(elf.headers(image.bytes(start, PAGE)))
    page = elf.first_page(headers)
    if page is None:
        return start, start, 0
    end = max(each.end for each in headers if each.kind == elf.LOADED)
    thread_bytes = [-(-(each.end - each.address) // 64) * 64 for each in headers if each.kind == elf.OF_THREADS]
    return start - page, (start - page + end + 15) // 16 * 16, sum(thread_bytes)


def ranges(modules: list[Module]) -> Addresses:
    """Returns rows of start and end, sorted: all memory of the modules."""
    found = sorted((each.start, each.end) for module in modules for each in module.segments)
    return np.array(found, np.int64).reshape(-1, 2)


def anonymous(image: Image, modules: list[Module]) -> list[Segment]:
    """Returns the segments that can be written, were read, and are neither a file's nor a module's."""
    own = {id(segment) for module in modules for segment in module.segments}
    return [
        each
        for each in image.segments
        if each.is_writable and not each.is_file and each.data is not None and id(each) not in own
    ]
