"""`./freehold test --mutants`: breaks the library on purpose, one place at a time, and expects a named test to fail.

tests/mutants.toml says which: in some headers every memory order is weakened and every fence removed, wherever they
are; other faults are listed, each with the test that finds it. What no test finds must be argued to be equivalent."""

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
from pathlib import Path
from typing import Any

from freehold_lab import folders
from freehold_lab.errors import LabError

TABLE = folders.ROOT / "tests" / "mutants.toml"
WORK = folders.BUILD / "mutants"
GOOGLETEST = Path("/usr/src/googletest/googletest")

WEAKER = {"acquire": ["relaxed"], "release": ["relaxed"], "acq_rel": ["acquire", "release"], "seq_cst": ["acq_rel"]}
ORDER = re.compile(r"(memory_order_|memory_order::|__ATOMIC_)(acquire|release|acq_rel|seq_cst)\b", re.IGNORECASE)
FENCE = re.compile(r"[\w:. ]*fence\([^;()]*memory_order[^;]*;")

# A mutant may wait for ever: a test takes some seconds.
SECONDS = 300


@dataclass(frozen=True)
class Mutant:
    """One place of a header, changed; the tests, files under tests/, of which one is to fail; or why none can."""

    header: str
    position: int
    text: str
    becomes: str
    tests: tuple[str, ...]
    equivalent: str = ""

    def name(self) -> str:
        line = source(self.header).count("\n", 0, self.position) + 1
        return f"{self.header}:{line}: {_short(self.text)} -> {_short(self.becomes)}"

    def changed(self) -> str:
        before = source(self.header)
        return before[: self.position] + self.becomes + before[self.position + len(self.text) :]


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
    table = tomllib.loads(TABLE.read_text())
    chosen = [mutant for mutant in mutants(table) if re.search(pattern, mutant.header)]
    if not chosen:
        raise LabError(f"no header of {TABLE.name} matches {pattern!r}")
    outcomes = []
    with Laboratory() as laboratory, ThreadPoolExecutor(laboratory.places) as threads:
        laboratory.expect_green(sorted({test for mutant in chosen for test in mutant.tests}))
        for outcome in threads.map(laboratory.outcome, chosen):
            print(outcome.line(), flush=True)
            outcomes.append(outcome)
    killed = sum(1 for outcome in outcomes if outcome.killed_by)
    survived = sum(1 for outcome in outcomes if outcome.is_fault())
    equivalent = len(outcomes) - killed - survived
    print(f"{len(outcomes)} mutants: {killed} killed, {equivalent} equivalent, {survived} survive")
    return 1 if survived else 0


def mutants(table: dict[str, Any]) -> Iterator[Mutant]:
    """Returns all that the table asks for. An equivalent one is not tried; without a reason each must be killed."""
    equivalent = {
        (entry["header"], entry["text"], entry["becomes"]): entry["why"] for entry in table.get("equivalent", [])
    }
    unused = set(equivalent)
    for header, tests in table["orders"].items():
        for position, text, becomes in weakened(source(header)):
            key = next((key for key in equivalent if _is(key, header, position, becomes)), None)
            unused -= {key}
            yield Mutant(header, position, text, becomes, tuple(tests), equivalent[key] if key else "")
    for entry in table.get("fault", []):
        found = source(entry["header"])
        if found.count(entry["text"]) != 1:
            raise LabError(f"{TABLE.name}: {entry['header']} does not hold once: {_short(entry['text'])}")
        position = found.index(entry["text"])
        yield Mutant(entry["header"], position, entry["text"], entry["becomes"], (entry["test"],))
    for header, text, _ in unused:
        raise LabError(f"{TABLE.name}: {header} has no such order to weaken: {_short(text)}")


def weakened(text: str) -> Iterator[tuple[int, str, str]]:
    """Returns each order that the code names, where it is, with each that is one step weaker; and each fence, with
    nothing."""
    comments = [match.span() for match in re.finditer(r"//[^\n]*", text)]
    for match in ORDER.finditer(text):
        if any(begin <= match.start() < end for begin, end in comments):
            continue
        prefix, order = match.groups()
        for weaker in WEAKER[order.lower()]:
            yield match.start(), match.group(), prefix + (weaker.upper() if order.isupper() else weaker)
    for match in FENCE.finditer(text):
        if not any(begin <= match.start() < end for begin, end in comments):
            yield match.start(), match.group(), ";"


@functools.cache
def source(header: str) -> str:
    """Returns the text of a header, which is named below include/freehold."""
    return (folders.ROOT / "include" / "freehold" / header).read_text()


def _is(key: tuple[str, str, str], header: str, position: int, becomes: str) -> bool:
    """Says whether the entry means the order at the position: its text, which holds the order once, is around it."""
    text = source(header)
    begin = text.find(key[1])
    return key[0] == header and begin != -1 and begin <= position < begin + len(key[1]) and becomes.endswith(key[2])


def _short(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:70] or "nothing"


class Laboratory:
    """Copies of the library, in each of which one thread changes one header at a time, and runs tests. They are copies,
    so that the tree may change meanwhile."""

    def __init__(self) -> None:
        self.places = len(os.sched_getaffinity(0))
        self._free: queue.Queue[Path] = queue.Queue()
        self._flags = ["-std=c++20", "-O1", "-isystem", str(GOOGLETEST / "include")]

    def __enter__(self) -> "Laboratory":
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        gtest = [*self._flags, f"-I{GOOGLETEST}", "-c", str(GOOGLETEST / "src" / "gtest-all.cc")]
        main = [*self._flags, "-c", str(folders.ROOT / "tests" / "support" / "main.cpp")]
        for name, command in (("gtest.o", gtest), ("main.o", main)):
            if error := _error("ccache" if shutil.which("ccache") else "env", "g++", *command, "-o", str(WORK / name)):
                raise LabError(f"{name} does not compile: {error}")
        shutil.copytree(folders.ROOT / "tests", WORK / "tests")
        for i in range(self.places):
            shutil.copytree(folders.ROOT / "include", WORK / str(i) / "include")
            self._free.put(WORK / str(i))
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(WORK, ignore_errors=True)

    def expect_green(self, tests: list[str]) -> None:
        """Raises LabError for a test that fails without a mutant."""
        place = self._free.get()
        for test in tests:
            if failure := _failure(place, test, self._flags):
                raise LabError(f"tests/{test} fails as it is: {failure}")
        self._free.put(place)

    def outcome(self, mutant: Mutant) -> Outcome:
        """Tries the tests of the mutant, until one fails."""
        if mutant.equivalent:
            return Outcome(mutant, "")
        place = self._free.get()
        header = place / "include" / "freehold" / mutant.header
        header.write_text(mutant.changed())
        try:
            killed = (_failure(place, test, self._flags) for test in mutant.tests)
            return Outcome(mutant, next((failure for failure in killed if failure), ""))
        finally:
            header.write_text(source(mutant.header))
            self._free.put(place)


def _failure(place: Path, test: str, flags: list[str]) -> str:
    """Compiles and runs a test with the headers of the place. Returns which of its tests failed, or nothing."""
    program = place / "test"
    headers = [f"-I{place / 'include'}", f"-I{WORK / 'tests'}"]
    objects = [str(WORK / "main.o"), str(WORK / "gtest.o")]
    if error := _error("g++", *flags, *headers, str(WORK / "tests" / test), *objects, "-pthread", "-o", str(program)):
        raise LabError(f"tests/{test} does not compile with a mutant: {error}")
    try:
        done = subprocess.run(
            [program, "--gtest_fail_fast"], capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"{test} does not end"
    if done.returncode == 0:
        return ""
    begun = re.findall(r"^\[ RUN      \] (\S+)", done.stdout, re.MULTILINE)
    return begun[-1] if begun else test


def _error(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return (
        ""
        if done.returncode == 0
        else next((line for line in done.stderr.splitlines() if "error" in line), f"exit code {done.returncode}")
    )
