"""Runs objdump."""

import shutil
import subprocess

from freehold_lab.errors import LabError


def objdump(*options: str) -> list[str]:
    """Returns lines. Raises LabError if it is not installed."""
    program = shutil.which("objdump")
    if not program:
        raise LabError("copies are found by objdump (Debian's package binutils has it)")
    told = subprocess.run([program, *options], capture_output=True, text=True, errors="replace").stdout
    return told.splitlines()
