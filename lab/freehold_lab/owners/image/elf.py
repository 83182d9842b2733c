"""What the first bytes of a program or library say, in a file or in the memory that it was mapped to."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from freehold_lab.owners.image.memory import PAGE

MAGIC = b"\x7fELF"
LOADED, NOTES, OF_THREADS = 1, 4, 7  # kinds of program headers
BUILD_ID = 3  # a kind of note
LETTERS = ((4, "r"), (2, "w"), (1, "x"))


@dataclass(frozen=True)
class Header:
    """A program header."""

    kind: int
    flags: int
    offset: int
    size: int  # in the file
    address: int
    end: int  # of the memory


def headers(begin: bytes) -> Iterator[Header]:
    """Yields the program headers that are within these bytes."""
    if len(begin) < 64 or not begin.startswith(MAGIC):
        return
    (first,) = struct.unpack_from("<Q", begin, 32)
    size, count = struct.unpack_from("<HH", begin, 54)
    for at in range(first, first + size * count, max(size, 56)):
        if at + 56 > len(begin):
            return
        kind, flags, offset, address, _, in_file, in_memory = struct.unpack_from("<IIQQQQQ", begin, at)
        yield Header(kind, flags, offset, in_file, address, address + in_memory)


def first_page(found: Iterable[Header]) -> int | None:
    """Returns the address that a file is linked for, of its first page, or None if nothing of it is loaded."""
    addresses = [each.address for each in found if each.kind == LOADED]
    return min(addresses) // PAGE * PAGE if addresses else None


def build_id(begin: bytes) -> str:
    """Returns the build-id, or nothing if there is none within these bytes."""
    for header in headers(begin):
        at, end = header.offset, min(header.offset + header.size, len(begin))
        while header.kind == NOTES and at + 12 <= end:
            name, size, kind = struct.unpack_from("<III", begin, at)
            data = at + 12 + (name + 3) // 4 * 4
            if kind == BUILD_ID and begin[at + 12 : at + 16] == b"GNU\0" and data + size <= end:
                return begin[data : data + size].hex()
            at = data + (size + 3) // 4 * 4
    return ""


def are_of_one_build(one: bytes, other: bytes) -> bool:
    """Compares build-ids, or where there are none, the program headers."""
    ids = build_id(one), build_id(other)
    return ids[0] == ids[1] if any(ids) else list(headers(one)) == list(headers(other))


def letters(flags: int) -> str:
    """Returns the permissions of a header as in /proc/PID/maps."""
    return "".join(letter if flags & bit else "-" for bit, letter in LETTERS) + "p"


def permissions(begin: bytes, distance: int) -> str:
    """Returns those of the memory at this distance from where the file begins in memory."""
    loaded = [each for each in headers(begin) if each.kind == LOADED]
    page = first_page(loaded)
    if page is None:
        return "r--p"
    address = page + distance
    found = [each.flags for each in loaded if each.address // PAGE * PAGE <= address]
    return letters(found[-1] if found else loaded[0].flags)
