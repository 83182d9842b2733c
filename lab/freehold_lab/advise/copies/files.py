"""The files of a program."""

import shutil
import subprocess
from pathlib import Path

from freehold_lab.errors import LabError


def of(program: str) -> list[str]:
    """Returns the paths of the program and of the libraries that it is linked with. Raises LabError."""
    found = shutil.which(program)
    if not found:
        raise LabError(f"cannot run {program}: No such file or directory")
    files = [str(Path(found).resolve())]
    if ldd := shutil.which("ldd"):
        told = subprocess.run([ldd, found], capture_output=True, text=True, errors="replace").stdout
        files += [str(Path(word).resolve()) for line in told.splitlines() for word in line.split() if "/" in word]
    return files
