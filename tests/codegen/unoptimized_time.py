"""Measures what a build that is not optimized costs: the CPU time of two programs over that of the same with std's.

Usage: python3 unoptimized_time.py [--pairs N] [--compiler PATH]

The programs are compiled with -O0 and without NDEBUG, as a debug build is. They run by turns; the median of the ratios
is printed. Time is never a test: compare with the bars below.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from compile_time import INCLUDE, cpu_seconds

# The most time that a program may take, as a multiple of std's.
BARS = {"copies": 1.2, "list": 1.1}

PROGRAM = """\
#include <freehold/pointers/make_shared.hpp>
#include <memory>
#include <thread>
struct node {
    int value;
    OWNER::shared_ptr<node> next;
};
void copies() {
    const auto owner = OWNER::make_shared<int>(1);
    for (int i = 0; i < 5'000'000; ++i) OWNER::shared_ptr<int> copy(owner);
}
int list() {
    int sum = 0;
    for (int round = 0; round < 20'000; ++round) {
        OWNER::shared_ptr<node> first;
        for (int i = 0; i < 50; ++i) first = OWNER::make_shared<node>(node{i, first});
        for (const auto* at = &first; *at; at = &(*at)->next) sum += (*at)->value;
    }
    return sum;
}
int main(int, char** arguments) {
    if (THREADS) std::thread([] {}).join();
    if (arguments[1][0] == 'c') return copies(), 0;
    return list() == 0;
}
"""


def build(compiler: str, folder: Path, owner: str, threads: bool) -> str:
    program = folder / f"{owner}_{threads}"
    source = program.with_suffix(".cpp")
    source.write_text(PROGRAM)
    options = ["-std=c++20", "-O0", "-pthread", f"-I{INCLUDE}", f"-DOWNER={owner}", f"-DTHREADS={int(threads)}"]
    subprocess.run([compiler, *options, str(source), "-o", str(program)], check=True)
    return str(program)


def main() -> int:
    parser = argparse.ArgumentParser(description="What a build that is not optimized costs, as a multiple of std's.")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    compiler = shutil.which(arguments.compiler)
    if compiler is None:
        parser.error(f"there is no {arguments.compiler}")
    with tempfile.TemporaryDirectory() as folder:
        for threads in (False, True):
            ours, theirs = (build(compiler, Path(folder), owner, threads) for owner in ("freehold", "std"))
            state = "second thread started" if threads else "one thread"
            for what, bar in BARS.items():
                found = [cpu_seconds([ours, what]) / cpu_seconds([theirs, what]) for _ in range(arguments.pairs)]
                spread = f"from {min(found):.2f} to {max(found):.2f}"
                print(f"{what:8} {state:22} {statistics.median(found):.2f}  {spread}  (at most {bar:.2f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
