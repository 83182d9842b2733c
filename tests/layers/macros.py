"""The names that a header may not use: what widely used headers define as macros. foreign_macros.toml lists them.

A name that is a macro only before a parenthesis may be used without one. So a call of std::min is written
(std::min)(a, b). The text is searched rather than compiled, so that code of every platform is checked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from arrows import BLOCK_COMMENT, LIBRARY

FOREIGN = Path(__file__).with_name("foreign_macros.toml")
NO_CODE = re.compile(r'//[^\n]*|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|<[\w./]+\.h>', re.DOTALL)
NAME = re.compile(r"\b[A-Za-z_]\w*\b(?P<called>\s*\()?")


def foreign_macros() -> dict[str, str]:
    """Returns where each macro is defined, of several places the first. A name ends with () if a call must follow."""
    listed = tomllib.loads(FOREIGN.read_text())
    return {name: origin for origin, names in reversed(listed.items()) for name in names.split()}


def check_macros(root: Path) -> list[str]:
    """Returns a line for each use of a foreign macro's name."""
    macros = foreign_macros()
    return [
        f"{header.relative_to(root)}:{line}: {name} is a macro of {macros[name]}"
        for header in sorted((root / LIBRARY).rglob("*.hpp"))
        for line, name in names_in(header.read_text())
        if name in macros
    ]


def names_in(source: str) -> Iterator[tuple[int, str]]:
    """Yields line and name of each identifier, and once more with () if a parenthesis follows."""
    code = source
    for other in (BLOCK_COMMENT, NO_CODE):
        code = other.sub(lambda found: "\n" * found[0].count("\n"), code)
    for number, found in ((code.count("\n", 0, found.start()) + 1, found) for found in NAME.finditer(code)):
        name = found[0].removesuffix(found["called"] or "")
        yield number, name
        if found["called"]:
            yield number, f"{name}()"
