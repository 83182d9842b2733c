"""Runs a program once under callgrind, and reads how often each instruction ran and who called whom."""

import re
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from freehold_lab.errors import LabError

TOOL = ("valgrind", "--quiet", "--tool=callgrind", "--dump-instr=yes", "--demangle=no", "--skip-direct-rec=no")
UNCOMPRESSED = ("--compress-strings=no", "--compress-pos=no", "--dump-line=no")
MOST_LETTERS = 1_500_000  # of the options: the system allows 2 MiB
CALLS = re.compile(r"calls=(\d+) ")
Function = tuple[str, str]  # the file that it is in, and its symbol, with that of its caller where they are told apart


@dataclass
class Call:
    caller: Function
    address: int
    times: int = 0
    instructions: int = 0  # of all that was called


@dataclass
class Profile:
    status: int  # what the program ended with
    instructions: int = 0
    executed: dict[Function, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    calls: dict[Function, dict[tuple[Function, int], Call]] = field(
        default_factory=lambda: defaultdict(dict)
    )  # to each


def run(command: Sequence[str], folder: Path, skipped: Sequence[str], apart: Sequence[str]) -> Profile:
    """Calls of the skipped functions are those of their callers; those apart are told by their callers.

    Raises LabError."""
    if not shutil.which("valgrind"):
        raise LabError("copies of an unmodified program are counted by valgrind, which is not installed")
    options = [f"--separate-callers1={each}" for each in apart] + [f"--fn-skip={each}" for each in skipped]
    letters = 0
    fitting = [each for each in options if (letters := letters + len(each) + 9) < MOST_LETTERS]
    output = [f"--callgrind-out-file={folder}/%p", f"--log-file={folder}/log"]
    with subprocess.Popen([*TOOL, *UNCOMPRESSED, *output, *fitting, "--", *command]) as process:
        status = process.wait()
    out = folder / str(process.pid)
    if not out.exists():
        raise LabError(f"valgrind cannot run {command[0]}")
    return read(out, status)


def read(path: Path, status: int) -> Profile:
    profile = Profile(status)
    file, caller, called, named, times = "", ("", ""), "", "", 0
    with path.open(errors="replace") as lines:
        for line in lines:
            if line.startswith("0x"):
                position, count = line.split()
                address, cost = int(position, 16), int(count)
                if times:
                    calls = profile.calls[called or file, named]
                    call = calls.setdefault((caller, address), Call(caller, address))
                    call.times, call.instructions = call.times + times, call.instructions + cost
                    called, times = "", 0
                else:
                    profile.executed[caller][address] += cost
            elif line.startswith("ob="):
                file = line[3:-1]
            elif line.startswith("fn="):
                caller = file, line[3:-1]
            elif line.startswith("cob="):
                called = line[4:-1]
            elif line.startswith("cfn="):
                named = line[4:-1]
            elif found := CALLS.match(line):
                times = int(found[1])
            elif line.startswith(("summary:", "totals:")):
                profile.instructions = int(line.split()[1])
    return profile
