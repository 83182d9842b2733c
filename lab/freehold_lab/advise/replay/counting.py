"""Runs programs as they are: how many instructions they execute, and what they take of the machine.

Python goes its usual way, unless `settings`, variables of the environment, say otherwise.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from freehold_lab.advise import building, pythons
from freehold_lab.errors import LabError


@dataclass(frozen=True)
class Usage:
    """What a run takes, with the processes that it waited for."""

    status: int  # as the shell has it
    seconds: float
    cpu: float  # seconds
    system: float  # of them, in the kernel
    faults: int  # pages that were not there
    peak: int  # bytes that were resident at once, in one of the processes


NO_SETTINGS: Mapping[str, str] = {}


def instructions(
    command: Sequence[str],
    preload: str = "",
    stdin: Path | None = None,
    *,
    settings: Mapping[str, str] = NO_SETTINGS,
    must_succeed: bool = False,
) -> int:
    """Returns the instructions that the process executes, of its children none. Raises LabError."""
    if not shutil.which("valgrind"):
        raise LabError("valgrind, which counts instructions, is not installed")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--quiet", f"--cachegrind-out-file={out}"]
        status = run([*valgrind, f"--log-file={folder}/log", *command], preload, stdin, settings)
        if must_succeed and status:
            raise LabError(f"{Path(command[0]).name} ended with {status} under valgrind")
        found = re.search(r"^summary: (\d+)", out.read_text(errors="replace") if out.exists() else "", re.MULTILINE)
        if not found:
            raise LabError(f"valgrind cannot count the instructions of {command[0]}")
        return int(found[1])


def usage(
    command: Sequence[str],
    stdin: Path | None = None,
    preload: str = "",
    settings: Mapping[str, str] = NO_SETTINGS,
) -> Usage:
    """Raises LabError if the program cannot be run."""
    if not shutil.which(command[0]):
        raise LabError(f"cannot run {command[0]}: No such file or directory")
    with tempfile.NamedTemporaryFile() as figures:
        if run([str(building.run()), figures.name, preload, *command], "", stdin, settings):
            raise LabError(f"cannot run {command[0]}")
        status, seconds, cpu, system, faults, peak = figures.read().split()
    return Usage(int(status), float(seconds), float(cpu), float(system), int(faults), int(peak) * 1024)


def printed(command: Sequence[str], preload: str = "") -> str:
    """Returns what a program of ours prints. Raises LabError if it fails."""
    status, text = answer(command, preload)
    if status:
        raise LabError(f"{Path(command[0]).name} ended with {status}")
    return str(text, "utf-8", "replace")


def answer(
    command: Sequence[str],
    preload: str = "",
    stdin: Path | None = None,
    settings: Mapping[str, str] = NO_SETTINGS,
) -> tuple[int, bytes]:
    """Returns what a program ends with, and what it prints. Raises LabError if it cannot be run."""
    with _started(command, preload, stdin, settings, subprocess.PIPE) as process:
        text = process.communicate()[0]
    return process.returncode, text


def run(command: Sequence[str], preload: str, stdin: Path | None, settings: Mapping[str, str]) -> int:
    """Returns what the program ends with. Raises LabError if it cannot be run."""
    with _started(command, preload, stdin, settings) as process:
        return process.wait()


def _started(
    command: Sequence[str],
    preload: str,
    stdin: Path | None,
    settings: Mapping[str, str],
    stdout: int = subprocess.DEVNULL,
) -> "subprocess.Popen[bytes]":
    both = " ".join(filter(None, [preload, os.environ.get("LD_PRELOAD", "")]))
    usual = {name: value for name, value in os.environ.items() if name != pythons.VARIABLE}
    environment = usual | dict(settings) | ({"LD_PRELOAD": both} if both else {})
    try:
        with (stdin or Path(os.devnull)).open("rb") as given:
            return subprocess.Popen(command, env=environment, stdin=given, stdout=stdout, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise LabError(f"cannot run {command[0]}: {error.strerror}") from error
