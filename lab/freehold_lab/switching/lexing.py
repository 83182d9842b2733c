"""The tokens of a source file, by their place in it: enough to know names, macros and includes without compiling."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from freehold_lab.switching.names import SPELLINGS

# Comments and literals are one token each, so that nothing in them is taken for a name. A directive ends with its line.
TOKEN = re.compile(
    rb"""(?P<space>[ \t\r\f\v]+|\\\r?\n)
    |(?P<line>\n)
    |(?P<comment>//(?:[^\n\\]|\\.|\\\r?\n)*|/\*.*?\*/)
    |(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
    |(?P<literal>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')
    |(?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
    |(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    |(?P<sign>::|->|[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
INCLUDE = re.compile(rb"#\s*(?:include|include_next|import)\b\s*(?P<what>.*)")


@dataclass(frozen=True)
class Token:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text.encode(errors="surrogateescape"))


@dataclass(frozen=True)
class Directive:
    start: int
    end: int  # behind its line
    text: bytes
    depth: int  # how many #if it stands within
    braces: int  # how many braces are open

    @property
    def macro(self) -> str:
        """The macro that it defines, or nothing."""
        defined = re.match(rb"#\s*define\s+(\w+)", self.text)
        return defined[1].decode() if defined else ""


@dataclass
class Source:
    """A file of the tree. Places in it are counted in bytes."""

    path: Path
    text: bytes
    tokens: list[Token] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)

    def __post_init__(self) -> None:
        depth = braces = 0
        fresh, begun, place = True, -1, 0
        while place < len(self.text):
            found = TOKEN.match(self.text, place)
            if found is None:
                place += 1
                continue
            place = found.end()
            kind = found.lastgroup if found.lastgroup != "mark" else "raw"
            if kind == "line":
                if begun >= 0:
                    depth = self._close(begun, place, depth, braces)
                fresh, begun = True, -1
            elif kind in ("word", "number", "sign"):
                text = found[0].decode(errors="surrogateescape")
                if fresh and text == "#":
                    begun = found.start()
                elif begun < 0:
                    braces += (text == "{") - (text == "}")
                self.tokens.append(Token(found.start(), text))
                fresh = False
        if begun >= 0:
            self._close(begun, place, depth, braces)

    def _close(self, start: int, end: int, depth: int, braces: int) -> int:
        """Records a directive. Returns the depth behind it."""
        text = self.text[start:end]
        word = re.match(rb"#\s*(\w*)", text)
        name = word[1] if word else b""
        depth -= name == b"endif"
        self.directives.append(Directive(start, end, text, depth, braces))
        return depth + name.startswith(b"if")

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self.tokens]

    @cached_property
    def _lines(self) -> list[int]:
        return [place for place, letter in enumerate(self.text) if letter == 10]

    def line(self, place: int) -> int:
        return bisect_left(self._lines, place) + 1

    def index(self, place: int) -> int | None:
        """Returns which token begins at `place`."""
        found = bisect_left(self._starts, place)
        return found if found < len(self.tokens) and self.tokens[found].start == place else None

    def spelled(self, place: int) -> str:
        """Returns the token at `place`, or nothing if none begins there."""
        found = self.index(place)
        return "" if found is None else self.tokens[found].text

    def directive(self, place: int) -> Directive | None:
        found = bisect_right([each.start for each in self.directives], place) - 1
        return self.directives[found] if found >= 0 and place < self.directives[found].end else None

    def suspects(self) -> list[int]:
        """Returns which tokens are spelled like a name that is switched."""
        return [number for number, token in enumerate(self.tokens) if token.text in SPELLINGS]

    def qualifier(self, number: int) -> int | None:
        """Returns which token qualifies the one of this number: `std` in std::shared_ptr."""
        if number >= 2 and self.tokens[number - 1].text == "::" and self.tokens[number - 2].text.isidentifier():
            return number - 2
        return None
