"""Tells which files and functions of the library one operation enters, by gcov: what a reader has to follow.

Usage: python3 entered.py [COMPILER]

Each operation is warm: it was executed before. A file is entered when one of its lines is executed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"

PROGRAM = """\
#include <freehold/freehold.hpp>
#include <new>
extern "C" void __gcov_reset();
extern "C" void __gcov_dump();
using pointer = freehold::shared_ptr<int>;
alignas(pointer) unsigned char first[sizeof(pointer)];
alignas(pointer) unsigned char second[sizeof(pointer)];
template <class Operation>
void operate(bool is_counted, Operation operation) {
    if (is_counted) __gcov_reset();
    operation();
    if (is_counted) __gcov_dump();
}
int main(int, char** arguments) {
    const int counted = arguments[1][0] - '0';
    for (int warm = 0; warm < 2; ++warm) {
        operate(warm == 1 && counted == 0, [] { ::new (first) pointer(freehold::make_shared<int>(1)); });
        auto& owner = reinterpret_cast<pointer&>(first);
        auto& copy = reinterpret_cast<pointer&>(second);
        operate(warm == 1 && counted == 1, [&] { ::new (second) pointer(owner); });
        operate(warm == 1 && counted == 2, [&] { copy.~pointer(); });
        operate(warm == 1 && counted == 3, [&] { owner.~pointer(); });
        if (warm == 1 && counted < 4) _Exit(0);
    }
}
"""
OPERATIONS = ["make_shared", "copy", "release", "last release"]


def entered(compiler: str) -> dict[str, tuple[list[str], int]]:
    """Returns for each operation the files that it enters, and the number of functions in them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.cpp").write_text(PROGRAM)
        options = ["-std=c++20", "-O0", "-DNDEBUG", "--coverage", f"-I{INCLUDE}"]
        subprocess.run([compiler, *options, "-c", "program.cpp"], cwd=folder, check=True)
        subprocess.run([compiler, "--coverage", "program.o", "-o", "program"], cwd=folder, check=True)
        return {operation: _entered_by(folder, number) for number, operation in enumerate(OPERATIONS)}


def _entered_by(folder: Path, number: int) -> tuple[list[str], int]:
    for old in folder.glob("*.gcda"):
        old.unlink()
    subprocess.run(["./program", str(number)], cwd=folder, check=True)
    report = subprocess.run(
        ["gcov", "--json-format", "--stdout", "program.gcda"], cwd=folder, check=True, stdout=subprocess.PIPE
    )
    files, functions = set(), set()
    for file in json.loads(report.stdout)["files"]:
        path = (folder / file["file"]).resolve()
        if not path.is_relative_to(INCLUDE):
            continue
        if any(line["count"] for line in file["lines"]):
            files.add(path.relative_to(INCLUDE / "freehold").as_posix())
        functions |= {function["name"] for function in file["functions"] if function["execution_count"]}
    return sorted(files), len(functions)


def main(arguments: list[str]) -> int:
    for operation, (files, functions) in entered(arguments[0] if arguments else "g++").items():
        print(f"{operation}: {len(files)} files, {functions} functions")
        for file in files:
            print(f"    {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
