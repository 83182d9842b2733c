"""Compiles the program of this folder as users compile it, and asks debuggers about it."""

import fcntl
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from freehold_lab import debuggers, testing
from freehold_lab.model import Compiler
from freehold_lab.setup import environment

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"
COMPILERS = environment.compilers()
DEBUG = ["-O0"]
RELEASE = ["-O2", "-DNDEBUG", "-fdata-sections", "-ffunction-sections", "-Wl,--gc-sections"]
TIMEOUT = 300
IS_FULL = testing.FULL in os.environ


@dataclass
class Build:
    compiler: Compiler
    options: list[str]

    def __str__(self):
        return f"{self.compiler.name}{self.options[0]}"

    @property
    def is_checked(self):
        return self.options is DEBUG

    @property
    def is_32_bits(self):
        return self.compiler is I686

    def compile(self, source, program):
        # Of a function that g++ has split into a hot and a cold part, lldb 19 looks for the variables elsewhere.
        unsplit = ["-fno-reorder-blocks-and-partition"] if self.compiler.name.startswith("g++") else []
        options = ["-std=c++20", "-g", "-pthread", *self.options, *unsplit, f"-I{INCLUDE}"]
        options += OWN_LOADER if self.is_32_bits else []
        path = required(self.compiler.path, "g++-i686-linux-gnu")
        subprocess.run([path, *options, source, "-o", program], check=True, timeout=TIMEOUT)


# Programs of 32 bits run here, with the C library of the cross compiler.
I686 = Compiler(name="i686-g++", path="i686-linux-gnu-g++", version="", flags="")
OWN_LOADER = ["-Wl,--dynamic-linker=/usr/i686-linux-gnu/lib/ld-linux.so.2,-rpath=/usr/i686-linux-gnu/lib"]
BUILDS = [Build(compiler, options) for compiler in COMPILERS for options in (DEBUG, RELEASE)] + [Build(I686, DEBUG)]


class Place:
    """A folder that the processes of pytest share."""

    def __init__(self, path):
        self.path = path
        path.mkdir(exist_ok=True)

    def once(self, name, make):
        """Returns the file of that name, which make(file) writes in one of the processes."""
        file = self.path / name
        with (self.path / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                make(file)
        return file


def required(tool, package):
    path = shutil.which(tool)
    if not path:
        pytest.skip(f"there is no {tool} (Debian's package {package} has it)")
    return path


def gdb(*commands, program):
    """Returns what gdb prints, after the one line of settings that `./freehold debugger` prints."""
    tool = required("gdb", "gdb")
    options = [word for command in commands for word in ("-ex", command)]
    allowed = ["-iex", debuggers.gdb(program.parent)]
    return output([tool, "-q", "-nx", "-batch", *allowed, *options, program])


def lldb(*commands, program):
    """The same of lldb, with the line that `./freehold debugger --lldb` prints."""
    tool = required("lldb-19", "lldb-19")
    options = [word for command in (debuggers.LLDB, *commands) for word in ("-o", command)]
    return output([tool, "--no-lldbinit", "-b", *options, program])


def output(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT).stdout


def answers(printed):
    """Returns what show() of look_gdb.py or look_lldb.py has printed."""
    line = next(line for line in printed.splitlines() if line.startswith("answers: "))
    return json.loads(line.removeprefix("answers: "))
