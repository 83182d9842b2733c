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


@dataclass(frozen=True)
class Shape:
    """What is in an object. Of what no part tells nothing is known."""

    size: int = 0  # bytes; 0: not known
    alignment: int = 1
    is_polymorphic: bool = False
    fields: list[tuple[int, int, str]] = field(default_factory=list)  # begin, end, and name, such as ".sessions[2]"
    parts: list[list[Any]] = field(default_factory=list)  # the kind, the offset, and what walking.py needs for it


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
            shapes, found = _ask(self._files, new, len(self.shapes))
            self.shapes += shapes
            self._known |= dict(zip(new, found or [None] * len(new), strict=True))

    def __bool__(self) -> bool:
        """Says whether there is any debug information."""
        return bool(self._files)

    def number(self, type: str) -> int | None:
        """Returns the index of the type's shape, or None if it is not known."""
        return self._known.get(type)

    def name(self, type: str, offset: int) -> str:
        """Returns the name of the member at an offset, or an empty text."""
        number = self.number(type)
        fields = [] if number is None else self.shapes[number].fields
        return next((name for begin, end, name in fields if begin <= offset < end), "")


def members(image: Image, modules: list[Module]) -> Members:
    """Returns those of the modules that have debug information; none if there is no gdb."""
    if shutil.which("gdb") is None:
        return Members([])
    return Members([path for each in modules if _has_debug_information(path := image.file(each.name))])


def _ask(files: list[Path], types: list[str], first: int) -> tuple[list[Shape], list[int | None]]:
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder, "types"), Path(folder, "shapes")
        asked.write_text(json.dumps(types))
        more = [f"--eval-command=add-symbol-file {each} 0" for each in files[1:]]
        command = ["gdb", "--nx", "--batch", "--quiet", str(files[0]), *more, f"--command={SCRIPT}"]
        variables = {"FREEHOLD_TYPES": str(asked), "FREEHOLD_SHAPES": str(told), "FREEHOLD_FIRST_SHAPE": str(first)}
        try:
            subprocess.run(
                command,
                env={**os.environ, **variables, "DEBUGINFOD_URLS": ""},
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=LONGEST,
            )
            answer = json.loads(told.read_text())
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return [], []
    return [Shape(**each) for each in answer["shapes"]], answer["found"]


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
