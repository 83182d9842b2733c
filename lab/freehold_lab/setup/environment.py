"""What a run depends on: the machine, its compilers, what they find, and the programs on the PATH."""

import os
import platform
import re
import shlex
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from freehold_lab import process
from freehold_lab.errors import LabError
from freehold_lab.model import Compiler, Machine

FLAGS = "-O3 -DNDEBUG"

PACKAGE_OF_PROGRAM = {
    "cmake": "cmake",
    "ninja": "ninja-build",
    "valgrind": "valgrind",
    "ocamlopt": "ocaml",
    "rustc": "rustc",
    "cargo": "cargo",
    "javac": "default-jdk-headless",
}


@dataclass(frozen=True)
class Family:
    """Compilers that differ in nothing but the version, which their macros tell."""

    oldest: int
    package: str
    macros: tuple[str, str, str]


FAMILIES = {
    "g++": Family(12, "g++", ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")),
    "clang++": Family(16, "clang-19", ("__clang_major__", "__clang_minor__", "__clang_patchlevel__")),
}


def machine() -> Machine:
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)),
        kernel=f"{platform.system()} {platform.release()}",
        libc=" ".join(platform.libc_ver()),
    )


def compilers() -> list[Compiler]:
    """Returns the newest compiler of each family that is new enough, g++ before clang++."""
    newest = {}
    for compiler in sorted(filter(None, map(_identify, _compiler_paths())), key=_version):
        newest[family(compiler)] = compiler
    return [newest[name] for name in FAMILIES if name in newest]


def family(compiler: Compiler) -> str:
    return compiler.name.rpartition("-")[0]


def finds_includes(compiler: Compiler, header: Path, options: str = "") -> bool:
    """Says whether `compiler`, with the options, finds all that the file `header` includes, and what that includes."""
    command = [compiler.path, *shlex.split(options), *"-std=c++20 -x c++ -M".split(), str(header)]
    return process.capture(*command) is not None


def succeeds(*command: str) -> bool:
    return process.capture(*command) is not None


def has_program(program: str) -> bool:
    return shutil.which(program) is not None


def require_program(program: str) -> None:
    if not has_program(program):
        raise LabError(f"{program} is missing: install {PACKAGE_OF_PROGRAM[program]}")


def _processor() -> str:
    names = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return names[1] if names else platform.machine()


def _compiler_paths() -> list[str]:
    named_like_one = re.compile(rf"({'|'.join(map(re.escape, FAMILIES))})(-\d+)?")
    folders = [Path(folder) for folder in os.get_exec_path() if Path(folder).is_dir()]
    names = {file.name for folder in folders for file in folder.iterdir() if named_like_one.fullmatch(file.name)}
    return [path for name in sorted(names) if (path := shutil.which(name))]


@cache
def _identify(path: str) -> Compiler | None:
    """Asks the compiler at `path` what it is: None if it is too old or finds no standard library."""
    output = process.capture(path, *"-std=c++20 -x c++ -dM -E -".split(), text="#include <version>\n")
    macros = dict(re.findall(r"^#define (\w+) (.*)$", output or "", re.MULTILINE))
    # clang++ defines g++'s macros as well, so it must be asked first.
    for name in reversed(FAMILIES):
        if FAMILIES[name].macros[0] in macros:
            version = [macros[part] for part in FAMILIES[name].macros]
            if int(version[0]) < FAMILIES[name].oldest:
                return None
            return Compiler(name=f"{name}-{version[0]}", path=path, version=".".join(version), flags=FLAGS)
    return None


def _version(compiler: Compiler) -> list[int]:
    return [int(part) for part in compiler.version.split(".")]
