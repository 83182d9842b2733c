"""Measures the system's own programs with one malloc and with another: CPU time, and the most memory they had.

    cmake -B build -DCMAKE_BUILD_TYPE=Release -DFREEHOLD_BUILD_TESTS=OFF
    cmake --build build --target freehold_malloc
    python3 tests/malloc/programs.py build/libfreehold-malloc.so PEER.so [PROGRAM ...]

Each round runs a program with both, in random order. What is printed is the median of the rounds' ratios.
`./freehold run` builds mimalloc 3 as build/lab/COMPILER/libmimalloc-sys-VERSION.so.
"""

import json
import multiprocessing
import os
import random
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
    "groff": ["sh", "-c", "zcat /usr/share/man/man1/g*.1.gz | groff -man -Tps"],
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
    child = subprocess.Popen(command, cwd=folder, env=environment, stdin=nothing, stdout=nothing, stderr=nothing)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} has failed with {library}: {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    libraries = [str(Path(each).resolve(strict=True)) for each in sys.argv[1:3]]
    times, sizes = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Not here: a child has at least the size that its parent had.
        writer = multiprocessing.Process(target=write_inputs, args=[folder])
        writer.start()
        writer.join()
        for program in sys.argv[3:] or PROGRAMS:
            command = PROGRAMS[program]
            if shutil.which(command[0]) is None:
                print(f"{program:15} is not installed")
                continue
            ratios = []
            for _ in range(ROUNDS):
                used = {each: run(command, each, folder) for each in random.sample(libraries, 2)}
                ratios.append([mine / other for mine, other in zip(*(used[each] for each in libraries), strict=True)])
            time, size = (statistics.median(column) for column in zip(*ratios, strict=True))
            print(f"{program:15} time {time:.3f}, memory {size:.3f}", flush=True)
            times.append(time)
            sizes.append(size)
    print(f"time: median {statistics.median(times):.3f}, most {max(times):.3f}")
    print(f"memory: median {statistics.median(sizes):.3f}, most {max(sizes):.3f}")


if __name__ == "__main__":
    main()
