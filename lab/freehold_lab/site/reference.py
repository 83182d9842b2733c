"""A page of Markdown for each public header, from what `headers` reads."""

import re
from collections.abc import Collection, Iterator
from itertools import groupby

from freehold_lab.site.headers import Entry, Header

# Products first.
FOLDERS = (
    "pointers",
    "memory",
    "cyclic",
    "traced",
    "diagnosis",
    "interop",
    "tracing",
    "counting",
    "reclamation",
    "core",
)

# What begins a part of a contract: first of a function's, then of a header's.
PARTS = "Effects|Requires|Returns|Postconditions|Throws|Complexity|Thread safety|Exceptions|Cost|Invariant"
PART = re.compile(rf"(?:^|(?<=[.;:)] ))({PARTS}): ")

# The names that an opening comment begins with.
NAMES = re.compile(r"^(?:[\w:]+(?:<[\w, ]+>)?(?:\(\w*\))?(?:, |(?=: )))+: ")

# The heading of a group of members: alone, or before what applies to them all.
GROUP = re.compile(r" ?([A-Z][a-z]+)(?:$|: )")
CONSTRUCTORS = "Constructors"  # says what the title of the first ones would

# Words of a comment that are code: `*this`, calls, qualified names, names with a template argument or an underscore;
# and what is compared with them or assigned to them.
CALL = r"~?(?:\w[\w:.]*)?\w(?:<[\w:&*, ]*>)?\([^() ]*\)(?:\.\w+\([^() ]*\))*"
WORD = rf"(?:\*this|{CALL}|\w+(?:::\w+)+|\w+<[\w:&*, …]*>|\w*[a-z0-9]_\w*)"
CODE = re.compile(rf"(?<![\w`]){WORD}(?: (?:[=!<>]?=|[<>]) (?:{WORD}|nullptr|\w+))?(?!\w)|\bnullptr\b")


def page(header: Header, guide: str | None) -> str:
    """Returns the page of `header`. `guide` is its page in the documentation, as seen from here."""
    parts = [f"# {header.path.name}"]
    if guide:
        parts.append(f"[When to use it, what it costs, what can go wrong]({guide})\n{{ .header }}")
    parts.append(f"```cpp\n#include <{header.path}>\n```")
    text = _Text({name for entry in _all(header.entries) for name in entry.names})
    return "\n\n".join([*parts, *text.comment(header.opening), *text.entries(header.entries, 2)]) + "\n"


def index(headers: list[Header]) -> str:
    """Returns the page that lists all pages."""
    parts = ["# Reference", "Each header with what it declares, from its comments. Search finds members by name."]
    for folder in FOLDERS:
        rows = [
            f"| [{header.path.name}]({folder}/{header.path.stem}.md) | {sentence(header.opening)} |"
            for header in headers
            if header.path.parent.name == folder
        ]
        parts += [f"## {folder}", "\n".join(["| header | for |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def comment(lines: list[str]) -> str:
    """Returns a comment as Markdown."""
    return "\n\n".join(_Text().comment(lines))


def members(header: Header) -> list[str]:
    """Returns the names that the classes of a header declare."""
    return sorted({name for entry in header.entries for member in _all(entry.members) for name in member.names})


def sentence(comment: list[str]) -> str:
    """Returns the first sentence of a comment, without the name that it may begin with."""
    text = " ".join(line.strip() for line in next(_paragraphs(comment), []))
    text = re.split(r"(?<=\.)(?: |$)", NAMES.sub("", text))[0].removesuffix(":")
    return _Text().sentence(text)


def _group(remark: list[str]) -> tuple[str, list[str]]:
    """Returns the heading that a remark begins with, if it does, and the rest."""
    text = " ".join(line.strip() for line in remark)
    found = GROUP.match(text)
    return (found[1], [f"{text[found.end() :][:1].upper()}{text[found.end() + 1 :]}"]) if found else ("", remark)


def _all(entries: list[Entry]) -> Iterator[Entry]:
    for entry in entries:
        yield entry
        yield from _all(entry.members)


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Splits at empty lines, and where indented lines begin or end."""
    for (is_text, _), group in groupby(lines, lambda line: (bool(line.strip()), line.startswith("  "))):
        if is_text:
            yield list(group)


class _Text:
    """Comments and declarations as Markdown. `names` are declared, so they are code where a sentence begins."""

    def __init__(self, names: Collection[str] = ()) -> None:
        self.names = names

    def entries(self, entries: list[Entry], level: int, of: str = "") -> Iterator[str]:
        """Yields the declarations of a header, or of the class `of`. A remark stands below the heading behind it."""
        is_grouped = any(not entry.names and GROUP.fullmatch(" ".join(entry.comment)) for entry in entries)
        last, remarks, deeper = "", list[str](), 0
        for entry in entries:
            if not entry.names:
                group, about = _group(entry.comment) if is_grouped else ("", entry.comment)
                if group:
                    yield f"{'#' * level} {group}"
                    deeper = 1
                    last = f"`{of}` constructors" if group == CONSTRUCTORS else ""
                remarks += self.comment(about)
                continue
            names = [f"`{name}`" + " constructors" * (name == of) for name in dict.fromkeys(entry.names)]
            title = ", ".join(names)
            if title != last:
                yield f"{'#' * (level + deeper)} {title}"
                last = title
            yield from remarks
            remarks = []
            code = [line if line.endswith(";") or "//" in line else f"{line};" for line in entry.code]
            apart = "\n\n" if any("\n" in each for each in code) else "\n"
            yield f"```cpp\n{apart.join(code)}\n```"
            yield from self.comment(entry.comment)
            yield from self.entries(entry.members, level + deeper + 1, entry.names[0])
        yield from remarks

    def comment(self, lines: list[str]) -> Iterator[str]:
        """Yields paragraphs, what is indented as it stands, and the contract's parts as a list."""
        in_part = False
        for paragraph in _paragraphs(lines):
            if paragraph[0].startswith("  "):
                margin = min(len(line) - len(line.lstrip()) for line in paragraph)
                language = "cpp" if margin > 4 else "text"
                block = [f"```{language}", *(line[margin:] for line in paragraph), "```"]
                yield "\n".join(" " * 4 * in_part + line for line in block)
                continue
            before, *parts = PART.split(" ".join(line.strip() for line in paragraph))
            in_part = bool(parts)
            if before:
                yield self.prose(before.strip())
            for name, text in zip(parts[::2], parts[1::2], strict=True):
                yield f"{name}\n:   {self.sentence(text.strip())}"

    def sentence(self, text: str) -> str:
        first = text.partition(" ")[0]
        marked = self.prose(f"`{first}`{text[len(first) :]}" if first in self.names else text)
        return marked[:1].upper() + marked[1:]

    def prose(self, text: str) -> str:
        """Marks what is code, and escapes the rest: a comment is no Markdown, but has code between backticks."""
        spans = re.split(r"(`[^`]+`)", text)
        return "".join(span if span.startswith("`") else self._marked(span) for span in spans)

    def _marked(self, text: str) -> str:
        parts, end = [], 0
        for found in CODE.finditer(text):
            parts += [_escaped(text[end : found.start()]), f"`{found[0]}`"]
            end = found.end()
        return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return re.sub(r"([\\*_\[\]|])", r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")
