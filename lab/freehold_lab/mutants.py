"""`./freehold test --mutants`: breaks the library on purpose, one place at a time, and expects a named test to fail.

tests/mutants.toml says which: in some headers every memory order is weakened and every fence removed, wherever they
are; other faults are listed, each with the test that finds it. What no test finds must be argued to be equivalent.

A test is compiled once with all weaker orders, and chooses one when it runs. It is compiled anew for each other fault.
In some tests ThreadSanitizer looks for races.
"""

import functools
import os
import queue
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from freehold_lab import checking, folders
from freehold_lab.errors import LabError
from freehold_lab.memory_orders import Weakening, switched, weakenings

TABLE = folders.ROOT / "tests" / "mutants.toml"
WORK = folders.BUILD / "mutants"
GOOGLETEST = Path("/usr/src/googletest/googletest")

# A mutant may wait for ever: a test takes some seconds.
SECONDS = 600

# As ctest has it, where a preset sets it or tests/hardened does.
ENVIRONMENT = {"FREEHOLD_GUARD_RATE": "0", "FREEHOLD_TEST_FULL": "1", "TSAN_OPTIONS": "halt_on_error=1"}

# Read before each test.
FIRST = """#include <gtest/gtest.h>

#include <cstdlib>
#include <type_traits>

#include "support/checker.hpp"

inline const char* const mutant_of_this_run = std::getenv("FREEHOLD_MUTANT");
inline const int chosen_mutant = mutant_of_this_run != nullptr ? std::atoi(mutant_of_this_run) : -1;

constexpr bool is_mutant(int number) { return !std::is_constant_evaluated() && chosen_mutant == number; }
"""


@dataclass(frozen=True)
class Mutant:
    """One place of a header, changed; the tests, files under tests/, of which one is to fail; or why none can."""

    header: str
    change: Weakening
    tests: tuple[str, ...]
    equivalent: str = ""
    is_order: bool = True

    def name(self) -> str:
        line = source(self.header).count("\n", 0, self.change.position) + 1
        return f"{self.header}:{line}: {_short(self.change.text)} -> {_short(self.change.becomes)}"

    def changed(self) -> str:
        before = source(self.header)
        begin, end = self.change.position, self.change.position + len(self.change.text)
        return before[:begin] + self.change.becomes + before[end:]


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: the test that failed, or nothing."""

    mutant: Mutant
    killed_by: str

    def is_fault(self) -> bool:
        return not self.killed_by and not self.mutant.equivalent

    def line(self) -> str:
        if self.killed_by:
            return f"{self.mutant.name()}: {self.killed_by}"
        reason = f"equivalent: {self.mutant.equivalent}" if self.mutant.equivalent else "SURVIVES"
        return f"{self.mutant.name()}: {reason}"


def test(pattern: str = "") -> int:
    """Tries every mutant whose header matches `pattern`. Returns the exit code."""
    table = read_table()
    chosen = [mutant for mutant in mutants(table) if re.search(pattern, mutant.header)]
    if not chosen:
        raise LabError(f"no header of {TABLE.name} matches {pattern!r}")
    alone = [mutant for mutant in chosen if not set(table["alone"]).isdisjoint(mutant.tests)]
    together = [mutant for mutant in chosen if mutant not in alone]
    outcomes = []
    with (
        Laboratory(chosen, table["sanitized"], table["alone"]) as laboratory,
        ThreadPoolExecutor(laboratory.places) as threads,
    ):
        for failure in threads.map(laboratory.failure_without_mutant, laboratory.tests):
            if failure:
                raise LabError(f"without a mutant fails {failure}")
        for outcome in chain(threads.map(laboratory.outcome, together), map(laboratory.outcome, alone)):
            print(outcome.line(), flush=True)
            outcomes.append(outcome)
    for kind, is_order in (("orders and fences", True), ("other faults", False)):
        print(f"{kind}: {_summary([each for each in outcomes if each.mutant.is_order == is_order])}")
    return 1 if any(outcome.is_fault() for outcome in outcomes) else 0


def read_table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text())


def mutants(table: dict[str, Any]) -> Iterator[Mutant]:
    """Returns all that the table asks for. An equivalent one is not tried; without a reason each must be killed."""
    equivalent = {
        (entry["header"], entry["text"], entry["becomes"]): entry["why"] for entry in table.get("equivalent", [])
    }
    unused = set(equivalent)
    for header, tests in table["orders"].items():
        for change in weakenings(source(header)):
            key = next((key for key in equivalent if _is(key, header, change)), None)
            unused -= {key}
            yield Mutant(header, change, tuple(tests), equivalent[key] if key else "")
    for entry in table.get("fault", []):
        found = source(entry["header"])
        if found.count(entry["text"]) != 1:
            raise LabError(f"{TABLE.name}: {entry['header']} does not hold once: {_short(entry['text'])}")
        change = Weakening(found.index(entry["text"]), entry["text"], entry["becomes"])
        yield Mutant(entry["header"], change, (entry["test"],), entry.get("why", ""), is_order=False)
    for header, text, _ in unused:
        raise LabError(f"{TABLE.name}: {header} has no such order to weaken: {_short(text)}")


def unlisted(table: dict[str, Any]) -> list[str]:
    """Returns the headers with orders or fences that the table does not weaken, of those that compile on Linux."""
    include = folders.ROOT / "include" / "freehold"
    headers = {str(path.relative_to(include)) for path in include.rglob("*.hpp") if not checking.is_foreign(path)}
    ordered = {header for header in headers if any(weakenings(source(header)))}
    return sorted(ordered - set(table["orders"]))


@functools.cache
def source(header: str) -> str:
    """Returns the text of a header, which is named below include/freehold."""
    return (folders.ROOT / "include" / "freehold" / header).read_text()


def _is(key: tuple[str, str, str], header: str, change: Weakening) -> bool:
    """Says whether the entry means that order: its text, which holds the order once, is around it."""
    begin = source(header).find(key[1])
    is_around = begin != -1 and begin <= change.position < begin + len(key[1])
    return key[0] == header and is_around and change.becomes.endswith(key[2])


def _short(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:70] or "nothing"


def _summary(outcomes: list[Outcome]) -> str:
    killed = sum(1 for outcome in outcomes if outcome.killed_by)
    survived = sum(1 for outcome in outcomes if outcome.is_fault())
    equivalent = len(outcomes) - killed - survived
    return f"{len(outcomes)} mutants, {killed} killed, {equivalent} equivalent, {survived} survive"


class Laboratory:
    """Copies of the library, so that the tree may change meanwhile: one with all weaker orders, and one for each thread
    that seeds other faults. ThreadSanitizer watches the tests in `sanitized`; those in `native` find orders by what the
    processor does."""

    def __init__(self, chosen: list[Mutant], sanitized: list[str], native: list[str]) -> None:
        self._sanitized = sanitized
        self._native = native
        self.places = len(os.sched_getaffinity(0))
        self.tests = sorted({test for mutant in chosen for test in mutant.tests if not mutant.equivalent})
        self._numbers = {mutant: number for number, mutant in enumerate(chosen) if mutant.is_order}
        self._free: queue.Queue[Path] = queue.Queue()
        self._flags = ["-std=c++20", "-Og", "-isystem", str(GOOGLETEST / "include")]

    def __enter__(self) -> "Laboratory":
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        shutil.copytree(folders.ROOT / "tests", WORK / "tests")
        first = WORK / "first.hpp"
        first.write_text(FIRST)
        gtest = [f"-I{GOOGLETEST}", "-c", str(GOOGLETEST / "src" / "gtest-all.cc")]
        main = ["-c", str(folders.ROOT / "tests" / "support" / "main.cpp")]
        read_before = [f"-I{WORK / 'tests'}", "-x", "c++-header", str(first)]
        for command, name in ((gtest, "gtest.o"), (main, "main.o"), (read_before, "first.hpp.gch")):
            if error := _error("g++", *self._flags, *command, "-o", str(WORK / name)):
                raise LabError(f"{name} does not compile: {error}")
        shutil.copytree(folders.ROOT / "include", WORK / "orders" / "include")
        for header in {mutant.header for mutant in self._numbers}:
            numbered = [(number, each.change) for each, number in self._numbers.items() if each.header == header]
            (WORK / "orders" / "include" / "freehold" / header).write_text(switched(source(header), numbered))
        for i in range(self.places):
            shutil.copytree(folders.ROOT / "include", WORK / str(i) / "include")
            self._free.put(WORK / str(i))
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(WORK, ignore_errors=True)

    def failure_without_mutant(self, test: str) -> str:
        """Compiles the test with all weaker orders. Returns what fails although none is chosen, or nothing."""
        self._compile(test, WORK / "orders")
        return _failure(WORK / "orders", test)

    def outcome(self, mutant: Mutant) -> Outcome:
        """Tries the tests of the mutant, until one fails."""
        if mutant.equivalent:
            return Outcome(mutant, "")
        if mutant.is_order:
            killed = (_failure(WORK / "orders", test, self._numbers[mutant]) for test in mutant.tests)
            return Outcome(mutant, next((failure for failure in killed if failure), ""))
        place = self._free.get()
        header = place / "include" / "freehold" / mutant.header
        header.write_text(mutant.changed())
        try:
            for test in mutant.tests:
                self._compile(test, place)
                if failure := _failure(place, test):
                    return Outcome(mutant, failure)
            return Outcome(mutant, "")
        finally:
            header.write_text(source(mutant.header))
            self._free.put(place)

    def _compile(self, test: str, place: Path) -> None:
        headers = ["-include", str(WORK / "first.hpp"), f"-I{place / 'include'}", f"-I{WORK / 'tests'}"]
        objects = [str(WORK / "main.o"), str(WORK / "gtest.o")]
        # operator new and mmap that fail where the test says so, as in tests/CMakeLists.txt
        if test.startswith("exceptions/") or "limited_new.hpp" in (WORK / "tests" / test).read_text():
            objects += [str(WORK / "tests" / "exceptions" / "limited_new.cpp"), "-Wl,--wrap=mmap"]
        program = str(_program(place, test))
        compiler = ["g++"]
        # g++ takes an order that is chosen at run time for seq_cst
        if test in self._native:
            compiler = [_clang(), "-Wno-ignored-gch"]
        if test in self._sanitized:
            compiler = [_clang(), "-fsanitize=thread", "-Wno-ignored-gch"]
        if test.startswith("hardened/"):
            headers.append("-DFREEHOLD_HARDENED")
        command = [*self._flags, *headers, str(WORK / "tests" / test), *objects, "-pthread", "-o", program]
        if error := _error(*compiler, *command):
            raise LabError(f"tests/{test} does not compile with a mutant: {error}")


def _clang() -> str:
    """Returns the newest clang++, as cmake/toolchains/clang.cmake finds it."""
    for name in [*(f"clang++-{version}" for version in range(22, 15, -1)), "clang++"]:
        if shutil.which(name):
            return name
    raise LabError("no clang++ for the tests that ThreadSanitizer watches")


def _program(place: Path, test: str) -> Path:
    return place / test.replace("/", "_").removesuffix(".cpp")


def _failure(place: Path, test: str, chosen: int = -1) -> str:
    """Runs a test that was compiled with the headers of the place. Returns which of its tests failed, or nothing."""
    try:
        done = subprocess.run(
            [_program(place, test), "--gtest_fail_fast"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            env=os.environ | ENVIRONMENT | {"FREEHOLD_MUTANT": str(chosen)},
        )
    except subprocess.TimeoutExpired:
        return f"{test} does not end"
    if done.returncode == 0:
        return ""
    # Those that are skipped after a failure are announced, too.
    failed = re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", done.stdout, re.MULTILINE)
    begun = re.findall(r"^\[ RUN      \] (\S+)", done.stdout, re.MULTILINE)
    named: list[str] = failed[:1] or begun[-1:] or [test]
    return named[0]


def _error(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return (
        ""
        if done.returncode == 0
        else next((line for line in done.stderr.splitlines() if "error" in line), f"exit code {done.returncode}")
    )
