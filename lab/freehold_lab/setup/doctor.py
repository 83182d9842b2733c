"""All that the laboratory and the tests use on a machine, found or not; `./freehold doctor` prints it, a line each."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from freehold_lab import process
from freehold_lab.model import Compiler
from freehold_lab.setup import by_hand, environment

HEADER_OF_PACKAGE = {"libbenchmark-dev": "benchmark/benchmark.h", "libboost-dev": "boost/version.hpp"}
# Sources, which every preset builds with a compiler of its own.
GOOGLETEST = Path("/usr/src/googletest")


@dataclass(frozen=True)
class Tool:
    """What the Debian package `package` brings; `path` is empty if it is not here."""

    name: str
    package: str
    version: str = ""
    path: str = ""


def lines() -> list[str]:
    brought = {name: find() for name, find in by_hand.TOOLS.items()}
    return [
        *(f"{tool.name:<18}{_finding(tool)}" for tool in tools()),
        *(f"{name:<18}{_brought(tool)}" for name, tool in brought.items()),
    ]


def _finding(tool: Tool) -> str:
    return f"{tool.version:<14}{tool.path}" if tool.path else f"missing: install {tool.package}"


def _brought(tool: by_hand.Tool) -> str:
    return f"missing: {tool.lacking}" if tool.lacking else f"{tool.version:<14}{tool.path}"


def tools() -> list[Tool]:
    found = {environment.family(each): each for each in environment.compilers()}
    first = next(iter(found.values()), None)
    return [
        *(_compiler(name, found.get(name)) for name in environment.FAMILIES),
        *(_program(program) for program in environment.PACKAGE_OF_PROGRAM),
        *(
            _library(package, _header_path(first, header) if first else None)
            for package, header in HEADER_OF_PACKAGE.items()
        ),
        _library("googletest", str(GOOGLETEST) if GOOGLETEST.exists() else None),
    ]


def _compiler(name: str, found: Compiler | None) -> Tool:
    package = environment.FAMILIES[name].package
    return Tool(found.name, package, found.version, found.path) if found else Tool(name, package)


def _program(program: str) -> Tool:
    package = environment.PACKAGE_OF_PROGRAM[program]
    path = shutil.which(program)
    if not path:
        return Tool(program, package)
    version = re.search(r"\d+(\.\d+)+", process.capture(path, "--version") or "")
    return Tool(program, package, version[0] if version else "", path)


def _library(package: str, path: str | None) -> Tool:
    version = process.capture("dpkg-query", "--show", "--showformat=${Version}", package) if path else None
    return Tool(package, package, version or "", path or "")


def _header_path(compiler: Compiler, header: str) -> str | None:
    """Returns where `compiler` finds `header`."""
    rule = process.capture(compiler.path, *"-std=c++20 -x c++ -M -".split(), text=f"#include <{header}>\n") or ""
    return next((path for path in rule.split() if path.endswith(f"/{header}")), None)
