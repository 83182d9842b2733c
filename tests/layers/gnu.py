"""What only g++ and clang++ understand, and Visual C++ does not: attributes gnu::, __builtin_ functions, assembly.

core/config.hpp gives such a construct a name that every compiler can be told. The rest may become less, not more.

    python3 tests/layers/gnu.py    prints the number of each construct, and the headers with the most of them
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from arrows import BLOCK_COMMENT, LIBRARY
from systems import LINE_COMMENT, is_floor

# The most that there may be of each kind, outside of core/config.hpp and core/platform/. Lower it where one has gone.
MOST = {"attribute gnu::": 8, "__attribute__": 3, "__builtin_": 13, "__atomic_": 25}

KINDS = {
    "attribute gnu::": re.compile(r"\bgnu::\w+"),
    "__attribute__": re.compile(r"\b__attribute__\b"),
    "__builtin_": re.compile(r"\b__builtin_\w+"),
    "__atomic_": re.compile(r"\b__(?:atomic|sync)_\w+"),
    "assembly": re.compile(r"\b(?:asm|__asm\w*)\b"),
    "__int128": re.compile(r"\b__int128\b"),
}


def constructs(source: str) -> Counter[str]:
    """Returns how often each kind stands in the code of a header."""
    code = LINE_COMMENT.sub("", BLOCK_COMMENT.sub("", source))
    return Counter({kind: len(found) for kind, pattern in KINDS.items() if (found := pattern.findall(code))})


def by_header(root: Path) -> dict[Path, Counter[str]]:
    """Returns the constructs of each header that has any, relative to include/freehold."""
    library = root / LIBRARY
    found = {
        header.relative_to(library): constructs(header.read_text())
        for header in sorted(library.rglob("*.hpp"))
        if not is_floor(header.relative_to(library))
    }
    return {header: kinds for header, kinds in found.items() if kinds}


def check_gnu(root: Path) -> list[str]:
    """Returns a line for each kind of which there are more than MOST allows."""
    total = sum(by_header(root).values(), Counter())
    return [
        f"{LIBRARY}: {total[kind]} of {kind}, and tests/layers/gnu.py allows {MOST.get(kind, 0)}: "
        f"give it a name in {LIBRARY}/core/config.hpp"
        for kind in KINDS
        if total[kind] > MOST.get(kind, 0)
    ]


def main() -> None:
    found = by_header(Path(__file__).parents[2])
    total = sum(found.values(), Counter())
    print(f"{len(found)} headers:", *(f"{number:6} {kind}" for kind, number in total.most_common()), sep="\n")
    most = sorted(found, key=lambda header: -found[header].total())[:10]
    print("most:", *(f"{found[header].total():6} {LIBRARY / header}" for header in most), sep="\n")


if __name__ == "__main__":
    main()
