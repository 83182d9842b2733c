"""The faults: each test that tests/faults.md names exists.

A test is named `suite.test` as in its source, or by the path of a program under tests/.
"""

from __future__ import annotations

import re
from pathlib import Path

FAULTS = Path("tests/faults.md")
TEST = re.compile(r"^(?:(?:TYPED_)?TEST(?:_F)?|CONTRACT)\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
NAMED = re.compile(r"`(\w+\.\w+|[\w/]+\.cpp)`")


def check_faults(root: Path) -> list[str]:
    """Returns a line for each test that is named and does not exist."""
    tests = root / "tests"
    sources = (source.read_text() for source in tests.rglob("*.cpp"))
    known = {f"{suite}.{test}" for source in sources for suite, test in TEST.findall(source)}
    named = {name for row in table_rows(root) for name in NAMED.findall(row)}
    return [
        f"{FAULTS}: {name} does not exist"
        for name in sorted(named)
        if name not in known and not (name.endswith(".cpp") and (tests / name).is_file())
    ]


def table_rows(root: Path) -> list[str]:
    return [line for line in (root / FAULTS).read_text().splitlines() if line.startswith("|")]
