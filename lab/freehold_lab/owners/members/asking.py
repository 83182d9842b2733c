"""Asks gdb for the shapes of types."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from freehold_lab.owners.image.memory import Image
from freehold_lab.owners.tables.modules import Module

SCRIPT = Path(__file__).parent / "in_gdb.py"
LONGEST = 60  # seconds, of reading debug information

Place = tuple[str, int]  # the whole name of a type, and an offset in bytes


@dataclass(frozen=True)
class Shape:
    """What is in an object. Of what no part tells nothing is known."""

    size: int = 0  # bytes; 0: not known
    alignment: int = 1
    is_polymorphic: bool = False
    fields: list[tuple[int, int, str, str]] = field(default_factory=list)  # begin, end, name, and kind of handle
    parts: list[list[Any]] = field(default_factory=list)  # the kind, the offset, and what walking.py needs for it


@dataclass(frozen=True)
class Member:
    name: str  # such as ".callback", or ".sessions[2]"
    kind: str  # "owner", "weak" or empty


class Members:
    """What the debug information says, asked for as it is needed."""

    def __init__(self, files: list[Path]) -> None:
        self._files = files
        self._known: dict[str, int | None] = {}
        self.shapes: list[Shape] = []

    def ask(self, types: Iterable[str]) -> None:
        """Effects: learns the shapes of the types, by one run of gdb. Where gdb fails, nothing is known."""
        new = sorted(set(types) - self._known.keys())
        if self._files and new:
            shapes, found = _ask(self._files, new)
            first = len(self.shapes)
            self.shapes += [_moved(each, first) for each in shapes]
            places = [None if each is None else first + each for each in found]
            self._known |= dict(zip(new, places or [None] * len(new), strict=True))

    def number(self, type: str) -> int | None:
        """Returns the index of the type's shape, or None if it is not known."""
        return self._known.get(type)

    def __getitem__(self, place: Place) -> Member | None:
        number = self._known.get(place[0])
        for begin, end, name, kind in self.shapes[number].fields if number is not None else ():
            if begin <= place[1] < end:
                return Member(name, kind)
        return None


def members(image: Image, modules: list[Module]) -> Members:
    """Returns those of the modules that have debug information; none if there is no gdb."""
    if shutil.which("gdb") is None:
        return Members([])
    return Members([path for each in modules if _has_debug_information(path := image.file(each.name))])


def _ask(files: list[Path], types: list[str]) -> tuple[list[Shape], list[int | None]]:
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder, "types"), Path(folder, "shapes")
        asked.write_text(json.dumps(types))
        more = [f"--eval-command=add-symbol-file {each} 0" for each in files[1:]]
        command = ["gdb", "--nx", "--batch", "--quiet", str(files[0]), *more, f"--command={SCRIPT}"]
        variables = {"FREEHOLD_TYPES": str(asked), "FREEHOLD_SHAPES": str(told), "DEBUGINFOD_URLS": ""}
        try:
            subprocess.run(
                command, env=os.environ | variables, capture_output=True, stdin=subprocess.DEVNULL, timeout=LONGEST
            )
            answer = json.loads(told.read_text())
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return [], []
    return [Shape(**each) for each in answer["shapes"]], answer["found"]


def _moved(shape: Shape, first: int) -> Shape:
    """Returns the shape with those that its parts name further by so many."""
    for part in shape.parts:
        if part[2:] and part[2] is not None:
            part[2] = [first + each for each in part[2]] if isinstance(part[2], list) else first + part[2]
    return shape


def _has_debug_information(path: Path) -> bool:
    """Says whether the file has such a section. Read by hand: to load a library for it takes longer than all else."""
    try:
        with path.open("rb") as file:
            header = file.read(64)
            if header[:4] != b"\x7fELF":
                return False
            (table,) = struct.unpack_from("<Q", header, 40)
            size, _, names = struct.unpack_from("<HHH", header, 58)
            file.seek(table + size * names)
            offset, length = struct.unpack_from("<QQ", file.read(size), 24)
            file.seek(offset)
            return b".debug_info\0" in file.read(length)
    except (OSError, struct.error):
        return False
