"""Measures what it costs to include a header: the CPU time of compiling it over that of `#include <memory>`.

Usage: python3 compile_time.py [--pairs N] [--compiler PATH] [HEADER...]

Each header is compiled alone with -O2, by turns with <memory>; the median of the ratios is printed. Time is never a
test: run it on a quiet machine, and compare with the bars below.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"

# The most that a header may cost, as a multiple of <memory>.
BARS = {
    "freehold/pointers/intrusive_ptr.hpp": 0.65,
    "freehold/pointers/shared_ptr.hpp": 1.25,
    "freehold/pointers/make_shared.hpp": 1.25,
    "freehold/cyclic/cyclic_ptr.hpp": 2.2,
    "freehold/traced/traced_heap.hpp": 2.2,
    "freehold/freehold.hpp": 3.5,
}


def cpu_seconds(command: list[str]) -> float:
    """Runs a command. Returns the CPU time that it and its children took."""
    process = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def ratios(compiler: str, headers: list[str], pairs: int) -> dict[str, list[float]]:
    """Returns for each header the ratios of its time to that of <memory>, compiled right before it."""
    with tempfile.TemporaryDirectory() as folder:

        def command(number: int, header: str) -> list[str]:
            source = Path(folder, f"{number}.cpp")
            source.write_text(f"#include <{header}>\n")
            return [compiler, "-std=c++20", "-O2", f"-I{INCLUDE}", "-c", str(source), "-o", os.devnull]

        reference = command(0, "memory")
        commands = {header: command(number, header) for number, header in enumerate(headers, start=1)}
        found: dict[str, list[float]] = {header: [] for header in headers}
        for _ in range(pairs):
            for header, compile_it in commands.items():
                of_memory = cpu_seconds(reference)
                found[header].append(cpu_seconds(compile_it) / of_memory)
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description="What it costs to include a header, as a multiple of <memory>.")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("headers", nargs="*", default=list(BARS), metavar="HEADER")
    arguments = parser.parse_args()
    compiler = shutil.which(arguments.compiler)
    if compiler is None:
        parser.error(f"there is no {arguments.compiler}")
    for header, found in ratios(compiler, arguments.headers, arguments.pairs).items():
        bar = f"  (at most {BARS[header]:.2f})" if header in BARS else ""
        print(f"{header:45} {statistics.median(found):.2f}  from {min(found):.2f} to {max(found):.2f}{bar}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
