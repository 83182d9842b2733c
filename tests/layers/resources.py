"""Memory resources: each is in every place of the first table under "Adding a memory resource" in CONTRIBUTING.md.

A place whose path contains NAME is a file of the resource's own. Any other names the resource.
"""

from __future__ import annotations

import re
from pathlib import Path

from guide import GUIDE

PLACE = re.compile(r"`([\w./-]+)`")
TABLE = re.compile(r"^## Adding a memory resource\n.*?\n(\|.*?)\n\n", re.MULTILINE | re.DOTALL)


def check_resources(root: Path) -> list[str]:
    """Returns a line for each place that lacks a resource."""
    table = TABLE.search((root / GUIDE).read_text())
    if not table:
        return [f"{GUIDE}: no table says where a memory resource goes"]
    places = [place for row in table[1].splitlines() for place in PLACE.findall(row.split("|")[1])]
    return [
        f"{header.relative_to(root)}: {fault}"
        for header in sorted((root / "include/freehold/memory").glob("*_resource.hpp"))
        for place in places
        if (fault := _fault(root, place, header.stem))
    ]


def _fault(root: Path, place: str, name: str) -> str:
    file = root / place.replace("NAME", name)
    if "NAME" in place:
        return "" if file.is_file() else f"{file.relative_to(root)} is missing"
    names = file.is_file() and re.search(rf"\b{name}\b", file.read_text())
    return "" if names else f"{place} does not name {name}"
