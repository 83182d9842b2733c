"""Calls that argument-dependent lookup can reach: what a user's namespace could answer instead of Freehold.

In a template, an unqualified call with arguments that depend on the template's parameters also looks among the friends
and in the namespaces of the user's types. It may find a better match there, and it completes these types, which some
programs can't. So the library calls its own functions by qualified names; only the protocols below are for users to
provide. Operators and other libraries' calls are held to the same by tests/contracts/hostile_types.

Usage: python3 lookup.py ROOT CLANG
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from arrows import LIBRARY, layer_of, public_headers

# What a user's type provides for argument-dependent lookup to find.
PROTOCOLS = {"intrusive_ptr_add_ref", "intrusive_ptr_release", "reclaim_managed_object"}

# In clang's dump of a syntax tree a place names only what has changed since the place before it.
PLACES = re.compile(r" <(?P<range>.*?)>(?: (?P<name>\S+))?")
PLACE = re.compile(r"(?P<file>/[^:,<>]+|<[a-z ]+>):(?P<line>\d+):\d+|line:(?P<next>\d+):\d+|(?P<column>col):\d+")
CALL = re.compile(r"UnresolvedLookupExpr .*\(ADL\) = '(?P<name>[^']*)'")


def check_lookup(root: Path, clang: str) -> list[str]:
    """Returns a line for each call in a template of the library that a user's namespace could answer."""
    headers = [header for header in public_headers(root) if layer_of(header) != "interop"]
    source = "".join(f"#include <{LIBRARY.name}/{header.as_posix()}>\n" for header in headers)
    command = [clang, "-std=c++20", f"-I{root / LIBRARY.parent}", "-fsyntax-only", "-Xclang", "-ast-dump"]
    with subprocess.Popen(
        [*command, "-fno-color-diagnostics", "-xc++", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(source)
        process.stdin.close()
        found = set(unqualified_calls(process.stdout, (root / LIBRARY).resolve()))
    assert process.returncode == 0, f"{clang} does not compile the headers"
    return [f"{LIBRARY / header}:{line}: {name} is called unqualified" for header, line, name in sorted(found)]


def unqualified_calls(dump: Iterable[str], library: Path) -> Iterator[tuple[Path, int, str]]:
    """Yields header, line and name of each call that the library leaves to argument-dependent lookup."""
    file, line = "", 0
    for text in dump:
        places = PLACES.search(text)
        if not places:
            continue
        begin = None
        for place in PLACE.finditer(places[0]):
            if place["file"]:
                file = place["file"]
            line = int(place["line"] or place["next"] or line)
            begin = begin or (file, line)
        call = CALL.search(text)
        if not call or not begin or call["name"] in PROTOCOLS or call["name"].startswith("operator"):
            continue
        header = Path(begin[0]).resolve()
        if header.is_relative_to(library):
            yield header.relative_to(library), begin[1], call["name"]


if __name__ == "__main__":
    problems = check_lookup(Path(sys.argv[1]), sys.argv[2])
    print(*problems, sep="\n", end="\n" if problems else "")
    sys.exit(1 if problems else 0)
