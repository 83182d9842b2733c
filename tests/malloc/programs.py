"""Measures the system's own programs with one malloc and with another: CPU time, and the most memory they had.

    cmake -B build -DCMAKE_BUILD_TYPE=Release -DFREEHOLD_BUILD_TESTS=OFF
    cmake --build build --target freehold_malloc --target freehold_malloc_hardened
    python3 tests/malloc/programs.py build/libfreehold-malloc.so PEER.so
    python3 tests/malloc/programs.py build/libfreehold-malloc-hardened.so build/libfreehold-malloc.so --instructions

Each round runs a program with both, in random order. What is printed is the median of the rounds' ratios, first over
second; with a library and itself it tells the noise. `./freehold run` builds mimalloc 3 as
build/lab/COMPILER/libmimalloc-sys-VERSION.so; the C library's own libc.so.6 is a PEER, too. GNU time must be installed.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROUNDS = 15

OBJECTS = """
import random, re
random.seed(2)
words = [f"w{random.randrange(200000)}" for _ in range(300000)]
found = {}
for word in words: found.setdefault(word, []).append(len(word))
text = " ".join(words)
print(len(sorted(found.items())), len(re.findall(r"w1\\d+", text)), sum(len(word.split("7")) for word in words))
"""

JSON = """
import json
for _ in range(3): text = json.dumps(json.load(open("data.json")))
print(len(text))
"""

PERL = """
my %found;
for my $i (1..300000) { push @{$found{"key" . ($i * 7919 % 150001)}}, "value $i"; }
my $n = 0;
for my $key (sort keys %found) { $n += scalar split / /, join(" ", @{$found{$key}}); }
print "$n\\n";
"""

SQL = """
CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO t SELECT i, 'text' || (i * 7919 % 100003), i * 0.5 FROM n;
CREATE INDEX x ON t (b);
SELECT b, COUNT(*), SUM(c) FROM t GROUP BY b ORDER BY 2 DESC, b LIMIT 5;
SELECT COUNT(*) FROM (SELECT a.b, b.c FROM t a JOIN t b ON a.b = b.b WHERE a.a < 20000);
"""

AWK = 'BEGIN { for (i = 0; i < 500000; i++) { k = i * 7919 % 100003; c[k] = c[k] "x"; n += length(c[k]) } print n }'

NODE = """
const found = new Map();
for (let i = 0; i < 300000; i++) found.set("k" + i % 70000, { i, s: "v" + i, a: [i, i + 1] });
const buffers = [];
for (let i = 0; i < 3000; i++) buffers.push(Buffer.alloc(1000 + i * 7 % 9000));
console.log(JSON.stringify([...found.values()]).length, Buffer.concat(buffers).length);
"""

SOURCE = """
#include <freehold/freehold.hpp>
#include <iostream>
#include <map>
#include <regex>
int main(int count, char** arguments) {
    std::map<std::string, int> found;
    found[arguments[0]] = std::regex_match(arguments[0], std::regex("a+b"));
    std::cout << found.size() << *freehold::make_shared<int>(count);
}
"""

PROGRAMS = {
    "g++": ["g++", "-std=c++20", "-O1", "-I", f"{ROOT}/include", "-c", "source.cpp", "-o", "/dev/null"],
    "clang++": ["clang++-19", "-std=c++20", "-O1", "-I", f"{ROOT}/include", "-c", "source.cpp", "-o", "/dev/null"],
    "clang-format": ["clang-format-19", *map(str, sorted(ROOT.glob("include/freehold/memory/*.hpp")))],
    "cmake": ["cmake", "--fresh", "-S", str(ROOT), "-B", "cmake", "-DFREEHOLD_BUILD_TESTS=OFF"],
    "python": [sys.executable, "-c", OBJECTS],
    "python, JSON": [sys.executable, "-c", JSON],
    "python, malloc": ["env", "PYTHONMALLOC=malloc", sys.executable, "-c", JSON],
    "perl": ["perl", "-e", PERL],
    "sqlite": ["sqlite3", ":memory:", SQL],
    "awk": ["awk", AWK],
    "node": ["node", "-e", NODE],
    "jq": ["jq", "-c", "[.[] | {id, sum: (.list | add)}] | group_by(.id % 100) | map(length)", "data.json"],
    "git log": ["git", "-C", str(ROOT), "log", "-p", "--stat", "-200"],
    "git pack": ["git", "-C", str(ROOT), "pack-objects", "--threads=2", "-q", "--all", "--stdout", "--no-reuse-delta"],
    "sort": ["sort", "--parallel=2", "-S", "200M", "lines", "-o", "/dev/null"],
    "gdb": ["gdb", "-q", "-batch", "-nx", "-ex", "info types vector", sys.executable],
    "zstd": ["zstd", "-T2", "-q", "-8", "-c", "lines"],
    "xz": ["xz", "-T2", "-2", "-c", "data.json"],
    "groff": ["sh", "-c", "zcat /usr/share/man/man1/git-c*.1.gz | groff -man -Tps"],
}


def write_inputs(folder: Path) -> None:
    random.seed(5)
    values = [{"id": i, "name": f"n{i}", "list": [random.random() for _ in range(8)]} for i in range(40000)]
    (folder / "data.json").write_text(json.dumps(values))
    (folder / "lines").write_text("\n".join(str(random.random()) for _ in range(600000)))
    (folder / "source.cpp").write_text(SOURCE)


def run(command: list[str], library: str, folder: Path) -> tuple[float, int]:
    """Returns: the CPU time in seconds and the largest resident size of the program and of what it started."""
    environment = os.environ | {"LD_PRELOAD": library}
    nothing = subprocess.DEVNULL
    # A process has at least the peak of the one that it was forked from: GNU time is small, this one is not.
    timed = ["time", "--quiet", "--format=%M", "--output=peak", *command]
    child = subprocess.Popen(timed, cwd=folder, env=environment, stdin=nothing, stdout=nothing, stderr=nothing)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} has failed with {library}: {child.returncode}")
    return used.ru_utime + used.ru_stime, int((folder / "peak").read_text())


def instructions(command: list[str], library: str, folder: Path) -> int:
    """Returns: those of the program and of what it started, in user mode."""
    valgrind = ["valgrind", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null"]
    counted = [*valgrind, "env", f"LD_PRELOAD={library}", *command]
    done = subprocess.run(counted, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return sum(map(int, re.findall(r"Collected : (\d+)", done.stderr)))


def count(command: list[str], libraries: list[str], folder: Path) -> dict[str, float]:
    first, second = (instructions(command, each, folder) for each in libraries)
    return {"instructions": first / second}


def measure(command: list[str], libraries: list[str], folder: Path) -> dict[str, float]:
    ratios = []
    for _ in range(ROUNDS):
        used = {place: run(command, libraries[place], folder) for place in random.sample((0, 1), 2)}
        ratios.append([first / second for first, second in zip(used[0], used[1], strict=True)])
    return dict(zip(("time", "memory"), map(statistics.median, zip(*ratios, strict=True)), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs=2, type=lambda path: str(Path(path).resolve(strict=True)))
    parser.add_argument("--only", action="append", choices=PROGRAMS, help="a program; may be given several times")
    parser.add_argument("--instructions", action="store_true", help="count them with callgrind, which takes minutes")
    options = parser.parse_args()
    compare = count if options.instructions else measure
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        for program in options.only or PROGRAMS:
            command = PROGRAMS[program]
            if shutil.which(command[0]) is None:
                print(f"{program:15} is not installed")
                continue
            ratios = compare(command, options.libraries, folder)
            print(f"{program:15} " + ", ".join(f"{what} {ratio:.3f}" for what, ratio in ratios.items()), flush=True)
            for what, ratio in ratios.items():
                found.setdefault(what, []).append(ratio)
    for what, ratios_of_all in found.items():
        print(f"{what}: median {statistics.median(ratios_of_all):.3f}, most {max(ratios_of_all):.3f}")


if __name__ == "__main__":
    main()
