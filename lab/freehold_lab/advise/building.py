"""Builds the recorder, the analysis and the replay with this machine's compiler, once for each state of the sources.

The installed package has those that record and tell ready, for machines without a compiler.
"""

import hashlib
import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

from freehold_lab import folders
from freehold_lab.errors import LabError

SOURCES = folders.ROOT / "src"
INCLUDES = folders.ROOT / "include"
BUILT = folders.BUILD / "advise"
PREBUILT = folders.ROOT / "prebuilt"  # by packaging/prebuilt.py
OPTIONS = ("-std=c++20", "-O2", "-DNDEBUG")
# What is preloaded needs the C library alone.
PRELOADED = (
    *("-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-fno-builtin-malloc", "-fvisibility=hidden"),
    *("-ftls-model=initial-exec", "-funwind-tables", "-nodefaultlibs"),
)
LIBRARIES = ("-lc", "-lgcc", "-ldl", "-lpthread", "-Wl,-z,nodelete,--no-undefined")
# By these names, so that glibc before 2.34, which has more than stubs in them, loads them: src/recorder/versions.hpp.
OLD_LIBRARIES = ("-Wl,--no-as-needed", "-l:libdl.so.2", "-l:libpthread.so.0")


def recorder() -> Path:
    sources = sorted((SOURCES / "recorder").glob("*.cpp"))
    return _built("libfreehold-recorder.so", sources, PRELOADED, (*LIBRARIES, *OLD_LIBRARIES))


def analysis() -> Path:
    return _built("analysis", [SOURCES / "advise" / "analysis.cpp"], (), ("-ldl",))


def heaptrack() -> Path:
    return _built("heaptrack", [SOURCES / "advise" / "heaptrack.cpp"], (), ("-ldl",))


def replay(is_cxx: bool) -> Path:
    """Returns the replay for programs with the C++ library, or for those without."""
    if is_cxx:
        return _built("replay", [SOURCES / "advise" / "replay.cpp"], (f"-I{INCLUDES}",), ())
    options = ("-DREPLAY_OF_C", "-fno-exceptions", "-fno-rtti", "-nodefaultlibs")
    return _built("replay-of-c", [SOURCES / "advise" / "replay.cpp"], options, ("-lc", "-lgcc"))


def portable() -> list[Path]:
    """Returns what records and tells, so built that it needs the C library alone."""
    static = ("-static-libstdc++", "-static-libgcc", "-s")
    names = ("analysis", "heaptrack")
    return [
        recorder(),
        *(_built(f"portable/{name}", [SOURCES / "advise" / f"{name}.cpp"], static, ("-ldl",)) for name in names),
    ]


def run() -> Path:
    return _built("run", [SOURCES / "advise" / "run.cpp"], (), ())


def sampler() -> Path:
    options = ("-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-nodefaultlibs")
    return _built("libsampler.so", [SOURCES / "advise" / "sampler.cpp"], options, ("-lc", "-lgcc"))


def nothing() -> Path:
    options = ("-fPIC", "-shared", "-fno-builtin", "-fno-exceptions", "-nodefaultlibs")
    return _built("libnothing.so", [SOURCES / "advise" / "nothing.cpp"], options, ("-lc", "-lgcc"))


def copies() -> Path:
    name = "libfreehold-copies.so"
    options = ("-fPIC", "-shared", "-fvisibility=hidden", "-fno-omit-frame-pointer", "-pthread", f"-Wl,-soname,{name}")
    return _built(name, [SOURCES / "advise" / "copies.cpp"], options, ())


def freehold_malloc() -> Path:
    options = (*PRELOADED, "-fsemantic-interposition", f"-I{INCLUDES}")
    unwinder = ("-lgcc_eh", "-Wl,--exclude-libs=libgcc_eh.a")  # for its heap profile
    return _built("libfreehold-malloc.so", [SOURCES / "malloc.cpp"], options, (*unwinder, *LIBRARIES))


def _built(name: str, sources: list[Path], options: tuple[str, ...], libraries: tuple[str, ...]) -> Path:
    """Returns the file, built if it is not. Raises LabError."""
    compiler = shutil.which("g++") or shutil.which("c++")
    file = BUILT / _state() / name if compiler else PREBUILT / name
    if not compiler and not (file.exists() and platform.machine() == "x86_64"):
        raise LabError(f"advise needs g++, to build {name} (Debian's package of that name has it)")
    if " " in str(file) or ":" in str(file):
        raise LabError(f"advise preloads a library, which no path with a space or colon can have: {file.parent}")
    if compiler and not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        command = [compiler, *OPTIONS, *options, *map(str, sources), "-o", str(fresh), *libraries]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode:
            lines = done.stderr.splitlines()
            raise LabError(f"{compiler} cannot build {name}: {next((each for each in lines if 'error' in each), '')}")
        os.replace(fresh, file)
    return file


@cache
def _state() -> str:
    """Returns a name for what all sources say."""
    text = hashlib.sha256(" ".join((*OPTIONS, *PRELOADED, *LIBRARIES, *OLD_LIBRARIES)).encode())
    for path in sorted([*SOURCES.rglob("*.?pp"), *INCLUDES.rglob("*.?pp")]):
        text.update(bytes(path.relative_to(folders.ROOT)) + path.read_bytes())
    return text.hexdigest()[:12]
