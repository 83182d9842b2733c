"""The platforms beside the one that compiles: what they need, and how the unit tests ended there last.

A run of all unit tests of a platform is recorded in tests/platforms/record.toml: the date, the commit, and how many
tests passed, were skipped and failed. The table in docs/guide/platforms.md is made from it.
"""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from freehold_lab import folders

WINDOWS = "windows"  # its tools are only installed for it alone: Wine takes longer than the rest together
# The presets, and what the table calls them.
NAMES = {
    "aarch64": "AArch64",
    "riscv64": "RISC-V, 64 bits",
    "i686": "x86, 32 bits",
    "armhf": "Arm, 32 bits",
    "musl": "x86-64, musl, linked statically",
    "musl-shared": "x86-64, musl",
    WINDOWS: "Windows, x86-64, by MinGW-w64 and Wine",
}
# What a run of all tests does of each: a program that uses each product, also hardened, and the tests of one layer.
SMOKE_TARGETS = ("smoke", "smoke_hardened", "unit_counting")
SMOKE_TESTS = "^(smoke|smoke_hardened|unit/counting/.*)$"

TABLE = re.compile(r"(?<=<!-- platforms -->\n\n).*?(?=\n<!-- /platforms -->)", re.DOTALL)


@dataclass(frozen=True)
class Outcome:
    """How the unit tests of a platform ended."""

    date: str
    commit: str
    passed: int
    skipped: int
    failed: int


def missing(name: str, options: dict[str, str]) -> str:
    """Says what the preset, which has these options, needs and this machine has not; nothing if it has all."""
    triple = options.get("FREEHOLD_TARGET_TRIPLE", "")
    if name == WINDOWS:
        tools = ["x86_64-w64-mingw32-g++-posix", "wine"]
    elif triple:
        processor = triple.partition("-")[0]
        tools = [f"{triple}-g++", *([] if processor == "i686" else [f"qemu-{processor}"])]
    else:
        return "" if _zig() else "there is no ziglang in build/python"
    return next((f"there is no {tool} here" for tool in tools if not shutil.which(tool)), "")


def count(log: str) -> tuple[int, int, int]:
    """Returns how many tests passed, were skipped and failed, by what ctest has logged of files of tests.

    A file that said nothing at its end, because it took too long or was not run, counts as a failed test."""
    ran = [(int(tests), int(failed)) for tests, failed in re.findall(r"^(\d+) tests, (\d+) failed$", log, re.MULTILINE)]
    skipped = len(re.findall(r"^\[  SKIPPED \] 1 test\.$", log, re.MULTILINE))
    silent = len(re.findall(r'^Command: (?:""$|.*--file=)', log, re.MULTILINE)) - len(ran)
    failed = sum(failed for _, failed in ran) + silent
    return sum(tests for tests, _ in ran) + silent - failed - skipped, skipped, failed


def record(name: str) -> None:
    """Records what ctest has logged of a platform, and renews the table."""
    log = (folders.BUILD / name / "Testing" / "Temporary" / "LastTest.log").read_text(errors="replace")
    outcomes = recorded() | {name: Outcome(date.today().isoformat(), _commit(), *count(log))}
    lines = ["# How the unit tests ended on each platform last. ./freehold test --platforms writes it.\n"]
    for each in (known for known in NAMES if known in outcomes):
        values = ", ".join(f"{key} = {value!r}" for key, value in asdict(outcomes[each]).items())
        lines.append(f"{each} = {{ {values} }}\n".replace("'", '"'))
    file().write_text("".join(lines))
    page().write_text(TABLE.sub(lambda _: table(outcomes), page().read_text()))


def recorded() -> dict[str, Outcome]:
    """Returns what is on record."""
    return {name: Outcome(**values) for name, values in tomllib.loads(file().read_text()).items()}


def table(outcomes: dict[str, Outcome]) -> str:
    """Returns the table of the platforms, in Markdown."""
    return "".join(_rows(outcomes))


def file() -> Path:
    return folders.ROOT / "tests" / "platforms" / "record.toml"


def page() -> Path:
    return folders.ROOT / "docs" / "guide" / "platforms.md"


def _rows(outcomes: dict[str, Outcome]) -> Iterable[str]:
    yield "| platform | preset | passed | skipped | failed | run | commit |\n|---|---|---|---|---|---|---|\n"
    for name, title in NAMES.items():
        if name in outcomes:
            seen = outcomes[name]
            counts = f"{seen.passed} | {seen.skipped} | {seen.failed} | {seen.date} | `{seen.commit}`"
        else:
            counts = " | | | never | "
        yield f"| {title} | `{name}` | {counts} |\n"


def _zig() -> bool:
    return any((folders.BUILD / "python" / "lib").glob("python3.*/site-packages/ziglang/zig"))


def _commit() -> str:
    """Returns the commit of the tree, with a + if the tree has changes."""
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"]
    return subprocess.run(command, cwd=folders.ROOT, capture_output=True, text=True, check=True).stdout.strip()
