"""The translation units of a tree, with the options that they are compiled with."""

import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from freehold_lab.errors import LabError
from freehold_lab.process import ENVIRONMENT
from freehold_lab.setup import environment

DATABASE = "compile_commands.json"
SOURCES = {".cpp", ".cc", ".cxx", ".c++", ".C"}
HEADERS = {".hpp", ".h", ".hh", ".hxx", ".h++", ".ipp", ".inl", ".tpp", ".inc", ".txx", ".tcc"}
DEFAULT = ("-std=c++20",)
# What a compiler is told beside how to read its file.
ALONE = {"-c", "-S", "-E", "-MD", "-MMD", "-MP", "-M", "-MM", "-Winvalid-pch"}
WITH_VALUE = {"-o", "-MF", "-MT", "-MQ", "-include-pch"}


@dataclass(frozen=True)
class Unit:
    file: Path
    folder: Path
    options: tuple[str, ...]

    @property
    def is_older(self) -> bool:
        """Whether it is compiled as what was before C++20."""
        asked = [option for option in self.options if option.startswith(("-std=", "--std="))]
        return not asked or re.search(r"(98|03|0x|11|1y|14|1z|17)$", asked[-1]) is not None


def find(tree: Path, build: Path | None, options: list[str]) -> list[Unit]:
    """Returns the units of `tree`: those of a compilation database, unless there is none or there are options."""
    folders = [build] if build else [tree, tree / "build"]
    database = next((folder / DATABASE for folder in folders if (folder / DATABASE).is_file()), None)
    if build and database is None:
        raise LabError(f"{build} has no {DATABASE}: configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    if database and not options:
        return [unit for unit in _read(database) if unit.file.is_relative_to(tree) and unit.file.is_file()]
    given = options or [*DEFAULT, f"-I{tree}", f"-I{tree / 'include'}"]
    return [alone(path, given) for path in files(tree, SOURCES)]


def alone(path: Path, options: list[str]) -> Unit:
    """Returns a unit of one file that no database has."""
    return Unit(path, Path.cwd(), ("-xc++", *options, *_system("c++")))


def files(tree: Path, endings: set[str]) -> list[Path]:
    """Returns the files of `tree` with such an ending, without hidden folders."""
    found = []
    for folder, inner, names in os.walk(tree):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        found += [Path(folder, name) for name in sorted(names) if Path(name).suffix in endings]
    return found


def _read(database: Path) -> list[Unit]:
    try:
        entries = json.loads(database.read_text())
        found = [_unit(entry) for entry in entries]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabError(f"{database} is no compilation database: {error}") from error
    return list(dict.fromkeys(unit for unit in found if unit.file.suffix != ".c"))


def _unit(entry: dict[str, str]) -> Unit:
    folder = Path(entry["directory"]).resolve()
    file = (folder / entry["file"]).resolve()
    words = list(entry["arguments"]) if "arguments" in entry else shlex.split(entry["command"])
    # A launcher such as ccache stands before the compiler.
    while len(words) > 1 and Path(words[0]).name in ("ccache", "sccache", "distcc"):
        words.pop(0)
    options = []
    rest = iter(words[1:])
    for word in rest:
        if word in WITH_VALUE:
            next(rest, None)
        elif word not in ALONE and not (not word.startswith("-") and (folder / word).resolve() == file):
            options.append(word)
    system = _system(words[0], *(option for option in options if option.startswith("-stdlib=")))
    return Unit(file, folder, ("-xc++", *options, *system))


@cache
def _system(compiler: str, *options: str) -> tuple[str, ...]:
    """Returns the options that name the folders of the compiler's own headers and of the standard library's. Those of
    the compiler are clang's, where clang is installed: libclang has none, and does not know all functions of g++'s."""
    asked = [compiler, *options, *"-E -x c++ -v /dev/null".split()]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, env=os.environ | ENVIRONMENT).stderr
    except OSError:
        first = next(iter(environment.compilers()), None)
        if first is None or first.path == compiler:
            raise LabError("a C++ compiler is missing, with the standard library's headers: install g++") from None
        return _system(first.path)
    folders = said.partition("#include <...> search starts here:\n")[2].partition("End of search list")[0].split()
    own = _headers_of_clang()
    kept = [folder for folder in folders if not (own and re.search(r"/gcc/.*/include$|/clang/.*/include$", folder))]
    # Behind the standard library's, whose headers include_next those of the compiler.
    place = next((number for number, folder in enumerate(kept) if "c++" not in folder), len(kept))
    kept[place:place] = own
    return ("-nostdinc", "-w", *(word for folder in kept for word in ("-isystem", folder)))


@cache
def _headers_of_clang() -> list[str]:
    """The headers of the installed clang that is nearest to libclang's version, or none."""
    found = {
        int(match[1]): str(path)
        for path in Path("/usr/lib").glob("llvm-*/lib/clang/*/include")
        if (match := re.search(r"llvm-(\d+)", str(path)))
    }
    return [found[min(found, key=lambda version: (version > 18, abs(version - 18)))]] if found else []
