"""Asks gdb for members."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from freehold_lab.owners.image.memory import Image
from freehold_lab.owners.tables.modules import Module

SCRIPT = Path(__file__).parent / "in_gdb.py"
LONGEST = 60  # seconds, of reading debug information

Place = tuple[str, int]  # the whole name of a type, and an offset in bytes


@dataclass(frozen=True)
class Member:
    name: str  # such as ".callback", or ".sessions[2]"
    kind: str  # "owner", "weak", a vector of them, "owner[]" or "weak[]"; or empty


class Members:
    """What the debug information says, asked for as it is needed."""

    def __init__(self, files: list[Path]) -> None:
        self._files = files
        self._known: dict[Place, Member | None] = {}

    def ask(self, places: Iterable[Place]) -> None:
        """Effects: learns what is known of the places, by one run of gdb. Where gdb fails, nothing is known."""
        new = sorted(set(places) - self._known.keys())
        if self._files and new:
            self._known |= _ask(self._files, new)

    def __getitem__(self, place: Place) -> Member | None:
        return self._known.get(place)


def members(image: Image, modules: list[Module]) -> Members:
    """Returns those of the modules that have debug information; none if there is no gdb."""
    if shutil.which("gdb") is None:
        return Members([])
    return Members([path for each in modules if _has_debug_information(path := image.file(each.name))])


def _ask(files: list[Path], places: list[Place]) -> dict[Place, Member | None]:
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder, "places"), Path(folder, "members")
        asked.write_text(json.dumps(places))
        more = [f"--eval-command=add-symbol-file {each} 0" for each in files[1:]]
        command = ["gdb", "--nx", "--batch", "--quiet", str(files[0]), *more, f"--command={SCRIPT}"]
        variables = {"FREEHOLD_PLACES": str(asked), "FREEHOLD_MEMBERS": str(told), "DEBUGINFOD_URLS": ""}
        try:
            subprocess.run(
                command, env=os.environ | variables, capture_output=True, stdin=subprocess.DEVNULL, timeout=LONGEST
            )
            answers = json.loads(told.read_text())
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return {}
    return {place: Member(*answer) if answer else None for place, answer in zip(places, answers, strict=True)}


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
