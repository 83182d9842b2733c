"""The faults: each has a number of its own in tests/faults.md, and each test that is named there exists.

A test is named `suite.test` as in its source, or by the path of a program under tests/.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

FAULTS = Path("tests/faults.md")
TEST = re.compile(r"^(?:(?:TYPED_)?TEST(?:_F)?|CONTRACT)\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
NUMBER = re.compile(r"\| (\d+) \|")
NAMED = re.compile(r"`(\w+\.\w+|[\w/]+\.cpp)`")


def check_faults(root: Path) -> list[str]:
    """Returns a line for each number that is given twice, and for each test that is named and does not exist."""
    numbers = Counter(number[1] for row in table_rows(root) if (number := NUMBER.match(row)))
    twice = [
        f"{FAULTS}: there are {count} faults of the number {number}" for number, count in numbers.items() if count > 1
    ]
    tests = root / "tests"
    sources = (source.read_text() for source in tests.rglob("*.cpp"))
    known = {f"{suite}.{test}" for source in sources for suite, test in TEST.findall(source)}
    named = {name for row in table_rows(root) for name in NAMED.findall(row)}
    return twice + [
        f"{FAULTS}: {name} does not exist"
        for name in sorted(named)
        if name not in known and not (name.endswith(".cpp") and (tests / name).is_file())
    ]


def table_rows(root: Path) -> list[str]:
    return [line for line in (root / FAULTS).read_text().splitlines() if line.startswith("|")]
