"""Measures what is watched: the rows that tests/watch has, as one compiler makes them.

Nothing here is noisy. The clock of the programs stands still (still_clock.hpp), what is counted is the difference of
two stretches of one process, and what is resident is read page by page.
"""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from freehold_lab import folders, process
from freehold_lab.errors import LabError
from freehold_lab.measure import callgrind, probe
from freehold_lab.measure.machine_code import open_elf, symbol_table
from freehold_lab.model import Compiler, State
from freehold_lab.setup import environment

Row = dict[str, float]  # its figures by their names; one that is 0 may be absent
Rows = dict[str, Row]
Kinds = dict[str, Rows]
Measure = Callable[[], Rows]

INCLUDE = folders.ROOT / "include"

# As users build, but that no instruction that does nothing aligns loops and branches: how many of them are executed
# depends on what code stands before. clang++ knows fewer of these options, and aligns less.
OPTIONS = f"-std=c++20 {environment.FLAGS} -pthread -falign-functions=1 -falign-loops=1".split()
OPTIONS_OF = {"g++": [*OPTIONS, "-falign-jumps=1", "-falign-labels=1"], "clang++": OPTIONS}

# glibc chooses by the processor what copies and fills memory. With this it takes the same everywhere.
ANY_PROCESSOR = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-SSSE3,"
    "-Fast_Unaligned_Copy"
}


def made_with(compiler: Compiler) -> str:
    """Returns what figures depend on besides the library."""
    macros = process.capture(compiler.path, *"-std=c++20 -x c++ -dM -E -".split(), text="#include <version>\n") or ""
    library = re.search(r"^#define __GLIBCXX__ (\d+)$", macros, re.MULTILINE)
    parts = [
        f"{environment.family(compiler)} {compiler.version}",
        f"libstdc++ {library[1]}" if library else "another standard library",
        environment.machine().libc,
        platform.machine(),
    ]
    return ", ".join(parts)


def measure(compilers: Iterable[Compiler]) -> dict[str, Kinds]:
    """Returns by the names of the compilers the rows of every kind. What is made by one compiler is the same with
    another, save instructions and sizes. Raises LabError if something does not compile or run."""
    found: dict[str, Kinds] = {}
    with ThreadPoolExecutor(environment.machine().cores) as pool:
        running = [
            (found.setdefault(compiler.name, {}).setdefault(kind, {}), pool.submit(task))
            for compiler in compilers
            for kind, task in _tasks(compiler)
        ]
        for rows, measured in running:
            rows.update(measured.result())
    return found


def _tasks(compiler: Compiler) -> Iterable[tuple[str, Measure]]:
    for source in sorted(folders.WATCH.glob("instructions/*.cpp")):
        yield "instructions", partial(_instructions, compiler, source)
    yield "sizes", partial(_sizes, compiler, folders.WATCH / "sizes.cpp")
    if environment.family(compiler) == "clang++":
        return
    for source in sorted(folders.WATCH.glob("resident/*.cpp")):
        yield "resident", partial(_resident, compiler, source)
    for header in re.findall(r"^#include <(.*)>$", (folders.WATCH / "headers.cpp").read_text(), re.MULTILINE):
        yield "headers", partial(_header, compiler, header)


def _instructions(compiler: Compiler, source: Path) -> Rows:
    """Returns what an operation executes before and after the program started a thread."""
    program = _program(compiler, source)
    rows: Rows = {}
    for state, arguments in ((State.ALONE, []), (State.THREADED, ["threaded"])):
        text, dumps = callgrind.run([str(program), *arguments], source.name, **ANY_PROCESSOR)
        for line, less, more in zip(text.splitlines(), dumps[::2], dumps[1::2], strict=True):
            times, name = line.split(maxsplit=1)
            executed = more - less
            row = rows.setdefault(name, {})
            row[state.value] = round(executed.instructions / int(times), 2)
            row[f"{state.value}_locked"] = round(executed.locked / int(times), 2)
    return rows


def _resident(compiler: Compiler, source: Path) -> Rows:
    lines = probe.output([str(_program(compiler, source))], source.name).splitlines()
    return {name: {"KiB": float(size)} for size, name in (line.split(maxsplit=1) for line in lines)}


def _sizes(compiler: Compiler, source: Path) -> Rows:
    """Returns the sizes of what the source itself defines, which are its functions and arrays in C. With -O3 g++ would
    leave less in a function that is called often."""
    file = _compile(compiler, source, "-O2")
    with file.open("rb") as stream:
        return {
            symbol.name: {"bytes": symbol["st_size"]}
            for symbol in symbol_table(open_elf(stream, file), file).iter_symbols()
            if symbol["st_info"]["bind"] == "STB_GLOBAL" and symbol["st_size"] and not symbol.name.startswith("_")
        }


def _header(compiler: Compiler, header: str) -> Rows:
    options = ["-std=c++20", f"-I{INCLUDE}", "-x", "c++", "-"]
    text = process.capture(compiler.path, "-E", "-P", *options, text=f"#include <{header}>\n")
    made_of = process.capture(compiler.path, "-M", *options, text=f"#include <{header}>\n")
    if text is None or made_of is None:
        raise LabError(f"{header} does not compile with {compiler.name}")
    # c++/12/vector is one; c++/12/bits/stl_vector.h and c++/12/debug/debug.h are parts of some.
    standard = {path for path in map(Path, made_of.split()) if path.parts[-3:-2] == ("c++",) and not path.suffix}
    return {header: {"lines": text.count("\n"), "standard_headers": len(standard)}}


def _program(compiler: Compiler, source: Path) -> Path:
    file = _compile(compiler, source)
    _run([compiler.path, "-pthread", str(file), "-o", str(file.with_suffix(""))], compiler, source)
    return file.with_suffix("")


def _compile(compiler: Compiler, source: Path, *options: str) -> Path:
    file = folders.BUILD / "watch" / compiler.name / source.relative_to(folders.WATCH).with_suffix(".o")
    file.parent.mkdir(parents=True, exist_ok=True)
    cached = [ccache] if (ccache := shutil.which("ccache")) else []
    includes = [f"-I{INCLUDE}", f"-I{folders.PROBES}"]
    command = [compiler.path, *OPTIONS_OF[environment.family(compiler)], *options, *includes]
    _run([*cached, *command, "-c", str(source), "-o", str(file)], compiler, source)
    return file


def _run(command: Sequence[str], compiler: Compiler, source: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | process.ENVIRONMENT)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise LabError(f"{source.name} cannot be built with {compiler.name}: {(errors or ['no message'])[0]}")
