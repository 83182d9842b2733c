"""Exports who allocated as a profile that `pprof` and `go tool pprof` read.

The format: https://github.com/google/pprof/blob/main/proto/profile.proto. Its messages have numbers, texts and messages
alone, which needs no package.
"""

import gzip
import io
from collections.abc import Iterable
from pathlib import Path

from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.analysis.summary import Site, Summary
from freehold_lab.owners.answers import saving

MARK = b"freehold-advise.pb"  # the name in the header of the compressed file
LARGEST = (1 << 63) - 1
TYPES = (
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),  # at the end
    ("inuse_space", "bytes"),
    ("peak_space", "bytes"),  # when most was in use
)


def write(summary: Summary, path: Path, sampled: int = 0) -> None:
    """`sampled`: the mean distance in bytes between samples, or 0. Raises LabError if the file cannot be written."""
    compressed = io.BytesIO()
    with gzip.GzipFile(MARK.decode(), "wb", fileobj=compressed, mtime=0) as file:
        file.write(_profile(summary, sampled))
    saving.replace(path, compressed.getvalue(), MARK)


def _profile(summary: Summary, sampled: int) -> bytes:
    texts = {"": 0}

    def text(value: str) -> int:
        return texts.setdefault(value, len(texts))

    def kind(name: str, unit: str) -> bytes:
        return _number(1, text(name)) + _number(2, text(unit))

    names = Names(summary.modules)
    places = sorted({place for site in summary.sites for place in site.callers})
    locations = {place: number for number, place in enumerate(places, 1)}
    functions: dict[str, int] = {}
    parts = [_part(1, kind(*each)) for each in TYPES]
    for site in summary.sites:
        callers = _numbers(1, [locations[each] for each in site.callers])
        parts.append(_part(2, callers + _numbers(2, _values(site))))
    for module, name in enumerate(summary.modules, 1):
        ends = _number(1, module) + _number(3, LARGEST)
        parts.append(_part(3, ends + _number(5, text(name)) + _number(7, 1)))
    for (module, address), number in locations.items():
        function = functions.setdefault(names.function((module, address)), len(functions) + 1)
        where = _number(1, number) + _number(2, module + 1) + _number(3, address)
        parts.append(_part(4, where + _part(4, _number(1, function))))
    for name, number in functions.items():
        parts.append(_part(5, _number(1, number) + _number(2, text(name)) + _number(3, text(name))))
    if sampled:
        parts += [_part(11, kind("space", "bytes")), _number(12, sampled)]
    parts.append(_number(14, text("alloc_space")))
    return b"".join(parts) + b"".join(_part(6, each.encode()) for each in texts)


def _values(site: Site) -> list[int]:
    return [site.blocks, site.bytes, site.blocks - site.freed, site.left_bytes, site.at_peak]


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value) if value else b""


def _part(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _numbers(field: int, values: Iterable[int]) -> bytes:
    return _part(field, b"".join(map(_varint, values)))
