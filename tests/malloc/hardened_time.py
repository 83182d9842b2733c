"""What libfreehold-malloc-hardened.so costs the system's programs, as a multiple of libfreehold-malloc.so.

    python3 tests/malloc/hardened_time.py FOLDER [ROUNDS]
    python3 tests/malloc/hardened_time.py FOLDER instructions

FOLDER holds both libraries. The second form counts instructions with callgrind, which takes minutes. In the first, a
round runs each program with both, and once more with the plain one, in random order. The ratio of two minima of the CPU
time is printed, that of plain to plain as well: what is within its distance from 1 is a tie. Not a test: time is never
tested.
"""

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

PYTHON = """
import json, random
random.seed(1)
values = [{"id": i, "list": [random.random() for _ in range(8)], "pair": {"a": str(i)}} for i in range(20000)]
for _ in range(3):
    values = json.loads(json.dumps(values))
"""

PERL = """
my %h; srand(3);
for my $i (1..300000) { my $k = "key" . int(rand(150000)); push @{$h{$k}}, "value $i"; }
for my $k (sort keys %h) { my @p = split / /, join(" ", @{$h{$k}}); }
"""

SQL = """
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
    insert into t select i, 'text' || (i * 7919 % 100003), i * 0.5 from n;
create index x on t(b);
select b, count(*) k from t group by b order by k desc, b limit 5;
select count(*) from (select a.b, b.c from t a join t b on a.b = b.b where a.a < 20000);
"""

AWK = 'BEGIN{srand(4); for(i=0;i<500000;i++){k="k" int(rand()*100000); c[k]=c[k] "x"; n+=length(c[k])} print n}'

CPP = """
#include <freehold/pointers.hpp>
#include <map>
#include <regex>
int main() { return std::regex_match("", std::regex("a+")); }
"""


def programs(folder: Path) -> dict[str, list[str]]:
    """Returns the commands, of programs that are installed, and writes what they read."""
    texts = {"values.py": PYTHON, "words.pl": PERL, "query.sql": SQL, "main.cpp": CPP}
    for name, text in texts.items():
        (folder / name).write_text(text)
    random.seed(5)
    (folder / "lines").write_text("\n".join(str(random.random()) for _ in range(400_000)))
    (folder / "values.json").write_text(
        "[" + ",".join(f'{{"id":{i},"v":[{i / 7},{i / 3}]}}' for i in range(60_000)) + "]"
    )
    compiler = subprocess.run(["g++", "-print-prog-name=cc1plus"], capture_output=True, text=True).stdout.strip()
    flags = ["-std=c++20", f"-I{ROOT}/include"]
    subprocess.run(["g++", *flags, "-E", folder / "main.cpp", "-o", folder / "main.ii"], check=True)
    commands = {
        "cc1plus": [compiler, "-quiet", "-std=c++20", "-O1", f"{folder}/main.ii", "-o", "/dev/null"],
        "python3": ["/usr/bin/python3", f"{folder}/values.py"],
        "python3, PYTHONMALLOC=malloc": [
            "/usr/bin/env",
            "PYTHONMALLOC=malloc",
            "/usr/bin/python3",
            f"{folder}/values.py",
        ],
        "perl": ["perl", f"{folder}/words.pl"],
        "sqlite3": ["sqlite3", ":memory:", f".read {folder}/query.sql"],
        "git log -p": ["git", "-C", str(ROOT), "log", "-p", "--stat", "-100"],
        "jq": [
            "jq",
            "-c",
            "[.[] | {id, s: (.v | add)}] | group_by(.id % 100) | map(length) | add",
            f"{folder}/values.json",
        ],
        "mawk": ["mawk", AWK],
        "sort": ["sort", f"{folder}/lines"],
        "xz": ["xz", "-2", "-c", f"{folder}/values.json"],
    }
    return {name: command for name, command in commands.items() if shutil.which(command[0])}


def cpu_seconds(command: list[str], library: Path) -> float:
    nothing = os.open(os.devnull, os.O_RDWR)
    process = os.posix_spawnp(
        command[0],
        command,
        os.environ | {"LD_PRELOAD": str(library)},
        file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 1), (os.POSIX_SPAWN_DUP2, nothing, 2)],
    )
    os.close(nothing)
    _, status, used = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"{command} failed with {library}")
    return used.ru_utime + used.ru_stime


def instructions(command: list[str], library: Path) -> int:
    valgrind = ["valgrind", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null"]
    preload = ["env", f"LD_PRELOAD={library}"]
    done = subprocess.run([*valgrind, *preload, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return sum(map(int, re.findall(r"Collected : (\d+)", done.stderr)))


def count(libraries: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, command in programs(Path(folder)).items():
            plain = instructions(command, libraries / "libfreehold-malloc.so")
            hardened = instructions(command, libraries / "libfreehold-malloc-hardened.so")
            print(f"{name:30} {plain:14,d} {hardened / plain:9.3f}", flush=True)


def main(libraries: Path, rounds: int) -> None:
    plain = libraries / "libfreehold-malloc.so"
    hardened = libraries / "libfreehold-malloc-hardened.so"
    ratios = []
    print(f"{'program':30} {'seconds':>8} {'hardened':>9} {'plain again':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for name, command in programs(Path(folder)).items():
            runs: dict[str, list[float]] = {"plain": [], "hardened": [], "again": []}
            for _ in range(rounds):
                for kind in random.sample(sorted(runs), len(runs)):
                    runs[kind].append(cpu_seconds(command, hardened if kind == "hardened" else plain))
            least = {kind: min(times) for kind, times in runs.items()}
            ratios.append(least["hardened"] / least["plain"])
            again = least["again"] / least["plain"]
            print(f"{name:30} {least['plain']:8.2f} {ratios[-1]:9.3f} {again:12.3f}", flush=True)
    print(f"median {statistics.median(ratios):.3f}, geometric mean {statistics.geometric_mean(ratios):.3f}")


if __name__ == "__main__":
    if sys.argv[2:] == ["instructions"]:
        count(Path(sys.argv[1]))
    else:
        main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 15)
