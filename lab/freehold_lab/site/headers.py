"""What the public headers declare, with the comments above it, in the order of each header.

libclang reads them all at once, as one file that includes them. What a declaration looks like and what stands above it
is then read from the lines of the header.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clang import cindex

from freehold_lab import folders
from freehold_lab.checking import is_foreign
from freehold_lab.errors import LabError
from freehold_lab.process import ENVIRONMENT
from freehold_lab.setup import environment

INCLUDE = folders.ROOT / "include"

# libclang's kinds of declarations, by number: the bindings do not name them all.
NAMESPACE, ACCESS, BODY, FRIEND = 22, 39, 202, 603
CLASSES = {2, 3, 4, 31, 32}  # struct, union, class; their templates, and partial specializations of these
FUNCTIONS = {8, 21, 24, 25, 26, 30}  # functions, methods, constructors, destructors, conversions, templates of them
MEMBERS = {6}
OTHERS = {1, 5, 9, 20, 35, 36, 601, 604}  # variables and templates of them, enumerations, aliases, concepts
DECLARATIONS = CLASSES | FUNCTIONS | MEMBERS | OTHERS


@dataclass
class Entry:
    """Declarations that share a comment: they follow each other without an empty line, or are overloads without a
    comment of their own. None of them: a remark on those that follow."""

    comment: list[str]
    names: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    members: list["Entry"] = field(default_factory=list)


@dataclass
class Header:
    path: Path  # as it is included
    opening: list[str]
    entries: list[Entry]


def public() -> list[Path]:
    """Returns the headers that users include, relative to include/, but for that of another library."""
    found = (path.relative_to(INCLUDE) for path in sorted(INCLUDE.rglob("*.hpp")))
    return [path for path in found if "detail" not in path.parts and not is_foreign(path)]


def read(paths: list[Path]) -> list[Header]:
    """Returns what the headers declare. Raises LabError if they cannot be compiled."""
    source = "".join(f"#include <{path}>\n" for path in paths)
    options = ["-xc++", "-std=c++20", "-nostdinc", f"-I{INCLUDE}"]
    options += [word for folder in _system_folders() for word in ("-isystem", folder)]
    unit = cindex.Index.create().parse(
        "headers.cpp",
        options,
        [("headers.cpp", source)],
        cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES,
    )
    faults = [fault for fault in unit.diagnostics if fault.severity >= cindex.Diagnostic.Error]
    if faults:
        raise LabError(f"the headers cannot be read: {faults[0]}")
    found: dict[Path, list[cindex.Cursor]] = {}
    for cursor in unit.cursor.get_children():
        if cursor.location.file:
            found.setdefault(Path(cursor.location.file.name).resolve(), []).append(cursor)
    return [_header(path, found.get(INCLUDE / path, [])) for path in paths]


def _system_folders() -> list[str]:
    """Where the first compiler that is found has its headers and the standard library's."""
    for compiler in environment.compilers():
        asked = [compiler.path, *"-E -x c++ -v /dev/null".split()]
        said = subprocess.run(asked, capture_output=True, text=True, env=os.environ | ENVIRONMENT).stderr
        return said.partition("#include <...> search starts here:\n")[2].partition("End of search list")[0].split()
    raise LabError("a C++ compiler is missing, with the headers that Freehold's include: install g++")


def _header(path: Path, cursors: list[cindex.Cursor]) -> Header:
    lines = (INCLUDE / path).read_text().splitlines()
    comments = _Lines(lines)
    first = next((number for number in range(1, len(lines) + 1) if comments.is_comment(number)), len(lines) + 1)
    end = next((number for number in range(first, len(lines) + 1) if not comments.is_comment(number)), len(lines) + 1)
    return Header(path, [line[2:] for line in lines[first - 1 : end - 1]], comments.entries(cursors, end, True))


class _Lines:
    """The lines of a header, counted from 1."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def entries(self, cursors: list[cindex.Cursor], after: int, public: bool) -> list[Entry]:
        """Returns what the cursors, of one scope and behind line `after`, declare: `public` until it says otherwise."""
        found: list[Entry] = []
        for outer in cursors:
            cursor = _befriended(outer)
            line = self._first_line(outer)
            comment, top = self._comment_above(line)
            if cursor._kind_id == ACCESS:
                public = cursor.access_specifier.name == "PUBLIC"
            elif cursor._kind_id == NAMESPACE and cursor.spelling != "detail":
                found += self.entries(list(cursor.get_children()), line, True)
            elif public and cursor._kind_id in DECLARATIONS and not _is_repeated(cursor):
                found += self._remarks(after, top, self._indent(line))
                code = self._code(cursor, line)
                name = _name(cursor)
                last = found[-1] if found else Entry([])
                is_overload = name in last.names and cursor._kind_id in FUNCTIONS
                joined = last if not comment and (is_overload or self._adjoins(line)) else Entry(comment)
                if not joined.names:
                    found.append(joined)
                joined.names.append(name)
                joined.code.append(code)
                if cursor._kind_id in CLASSES and cursor.semantic_parent.spelling != "std":
                    is_open = re.search(r"\b(struct|union)\b", code) is not None
                    joined.members += self.entries(list(cursor.get_children()), line, is_open)
            after = outer.extent.end.line
        return found

    def is_comment(self, number: int) -> bool:
        return self.lines[number - 1].lstrip().startswith("//")

    def _indent(self, number: int) -> int:
        return len(self.lines[number - 1]) - len(self.lines[number - 1].lstrip())

    def _first_line(self, cursor: cindex.Cursor) -> int:
        """The first line of a declaration. Attributes in front are no part of it for libclang."""
        number = int(cursor.extent.start.line)
        return number - 1 if number > 1 and self.lines[number - 2].lstrip().startswith("[[") else number

    def _comment_above(self, number: int) -> tuple[list[str], int]:
        """Returns the comment that ends in the line above, and the line that it begins in."""
        top = number
        while top > 1 and self.is_comment(top - 1):
            top -= 1
        return [line.strip()[2:] for line in self.lines[top - 1 : number - 1]], top

    def _adjoins(self, number: int) -> bool:
        """Whether another declaration ends in the line above."""
        above = self.lines[number - 2].strip()
        return bool(above) and not above.startswith("#") and not above.endswith(":")

    def _remarks(self, after: int, before: int, indent: int) -> Iterator[Entry]:
        """The comments between two declarations that have an empty line below them."""
        for number in range(after + 1, before - 1):
            if self.is_comment(number) and self._indent(number) == indent and not self.lines[number].strip():
                yield Entry(self._comment_above(number + 1)[0])

    def _code(self, cursor: cindex.Cursor, first: int) -> str:
        """Returns the declaration, without a body."""
        end = cursor.extent.end
        body = next((child for child in cursor.get_children() if child._kind_id == BODY), None)
        if cursor._kind_id in FUNCTIONS and body:
            end = body.extent.start
        lines = self.lines[first - 1 : end.line]
        if cursor._kind_id not in MEMBERS:  # those have their comment behind them
            lines[-1] = lines[-1].encode()[: end.column - 1].decode()
        code = "\n".join(line[self._indent(first) :] for line in lines).rstrip()
        if cursor._kind_id in CLASSES:
            return code.partition("{")[0].rstrip()
        return _without_initializers(code) if cursor._kind_id in FUNCTIONS else code


def _befriended(cursor: cindex.Cursor) -> cindex.Cursor:
    """Returns the function that a friend declaration declares."""
    children = list(cursor.get_children()) if cursor._kind_id == FRIEND else []
    return next((child for child in children if child._kind_id in FUNCTIONS), cursor)


def _is_repeated(cursor: cindex.Cursor) -> bool:
    """Whether it says nothing new: a class that is not defined here, or a function that was declared before."""
    if cursor._kind_id in CLASSES:
        return not cursor.is_definition() or not cursor.spelling or "(anonymous" in cursor.spelling
    first = cursor.canonical
    if first.location.file is None:  # the compiler itself declares operator new
        return False
    is_member = cursor.semantic_parent._kind_id in CLASSES
    return bool(first != cursor and (is_member or first.location.file.name == cursor.location.file.name))


def _name(cursor: cindex.Cursor) -> str:
    if cursor.spelling.startswith("<deduction guide"):
        return "deduction guide"
    name = str(cursor.spelling if cursor.spelling.startswith("operator") else cursor.spelling.partition("<")[0])
    return f"std::{name}" if cursor.semantic_parent.spelling == "std" else name


def _without_initializers(code: str) -> str:
    """Cuts what follows a lone colon outside of brackets: the initializers of a constructor."""
    depth = 0
    for i, letter in enumerate(code):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == ":" and depth == 0 and ":" not in (code[i - 1], code[i + 1 : i + 2]):
            return code[:i].rstrip()
    return code
