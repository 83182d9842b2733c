"""`./freehold amalgamate`: each product as one header.

A header is put where it is first included, behind a guard of its own: what is first included within an #if is put again
where it is included outside, and a program may include several products.
"""

import re
from pathlib import Path

from freehold_lab import folders

INCLUDE = re.compile(r'\s*#\s*include\s+"(?P<name>[^"]+)".*')
CONDITION = re.compile(r"\s*#\s*(?P<name>if|ifdef|ifndef|endif)\b")

LIBRARY = folders.ROOT / "include"
PRODUCTS = ("freehold.hpp", "pointers.hpp", "memory.hpp", "cyclic.hpp", "traced.hpp")


def write(folder: Path) -> list[Path]:
    """Writes freehold/PRODUCT for each product. Returns the files."""
    return [_write(LIBRARY / "freehold" / product, folder / "freehold" / product) for product in PRODUCTS]


def _write(header: Path, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    legal = "".join(f"// {line}".rstrip() + "\n" for line in (folders.ROOT / "LICENSE").read_text().splitlines())
    made = "// Made by `./freehold amalgamate` from the headers of Freehold, which are shorter to read.\n"
    path.write_text(f"#pragma once\n{made}//\n{legal}\n" + "\n".join(_with_own(header, 0, set())) + "\n")
    return path


def _with_own(header: Path, depth: int, seen: set[Path]) -> list[str]:
    """Returns the lines of a header with those that it includes. `depth`: how many #if it is included within. `seen`:
    the headers that have begun before it, within none or within the same."""
    if header in seen:
        return []
    lines = header.read_text().splitlines()
    is_repeated = "#pragma once" not in lines  # each time with other macros
    if not is_repeated:
        seen = set(seen) if depth > 0 else seen
        seen.add(header)
    own = []
    for line in lines:
        if condition := CONDITION.match(line):
            depth += -1 if condition["name"] == "endif" else 1
        if included := INCLUDE.match(line):
            own += _with_own((header.parent / included["name"]).resolve(), depth, seen)
        elif line != "#pragma once":
            own.append(line)
    guard = "FREEHOLD_HAS_" + re.sub(r"\W", "_", str(header.relative_to(LIBRARY / "freehold"))).upper()
    return own if is_repeated else [f"#ifndef {guard}", f"#define {guard}", *own, "#endif"]
