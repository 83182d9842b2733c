"""The lines of an address: its own, that where its function is inlined, and so on."""

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from freehold_lab.errors import LabError
from freehold_lab.owners.tables import naming

OF_LIBRARY = ("/usr/include/", "/include/c++/", "/usr/lib/gcc/", "/bits/shared_ptr_base.h")  # the last may be shim.py's


@dataclass(frozen=True)
class Frame:
    symbol: str  # of the function
    path: str
    line: int

    @property
    def is_own(self) -> bool:
        """Whether the program's author wrote it."""
        return self.line > 0 and not is_library(self.path)

    @property
    def function(self) -> str:
        """Returns the whole name, with the arguments that templates have by themselves."""
        return naming.demangled_symbol(self.symbol)

    @property
    def where(self) -> str:
        return f"{Path(self.path).name}:{self.line}"


def is_library(path: str) -> bool:
    return any(folder in path for folder in OF_LIBRARY)


def of(file: str, addresses: Iterable[int]) -> dict[int, list[Frame]]:
    """Returns the frames of each address, innermost first. Raises LabError if no tool is installed."""
    asked = sorted(set(addresses))
    if not asked:
        return {}
    program = _reader()
    if not program:
        raise LabError("lines are found by addr2line (Debian's package binutils has it)")
    command = [program, "-a", "-i", "-f", "-e", file]
    text = "".join(f"{each:#x}\n" for each in asked)
    told = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace").stdout
    answers = re.split("^0x[0-9a-f]+\n", told, flags=re.MULTILINE)[1:]
    return {address: _frames(answer.splitlines()) for address, answer in zip(asked, answers, strict=False)}


def own(frames: Iterable[Frame]) -> Frame | None:
    """Returns the first that is not of a library."""
    return next((each for each in frames if each.is_own), None)


def is_installed() -> bool:
    return bool(_reader())


def is_exact() -> bool:
    return Path(_reader()).name.startswith("llvm")


@cache
def _reader() -> str:
    """LLVM's, where it is installed: that of binutils 2.40 misses functions that clang++ inlined in a loop."""
    names = ("llvm-addr2line", *(f"llvm-addr2line-{version}" for version in range(30, 13, -1)), "addr2line")
    return next(filter(None, map(shutil.which, names)), "")


def _frames(lines: list[str]) -> list[Frame]:
    """A function and a line follow each other, then where that is inlined."""
    frames = []
    for symbol, where in zip(lines[::2], lines[1::2], strict=False):
        path, _, line = where.partition(" (discriminator ")[0].rpartition(":")
        frames.append(Frame(symbol, str(Path(path)), int(line) if line.isdigit() else 0))
    return frames
