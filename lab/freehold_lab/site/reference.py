"""A page of Markdown for each public header, from what `headers` reads."""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from freehold_lab.site.headers import Entry, Header

# What begins a part of a contract: first of a function's, then of a header's.
PARTS = "Effects|Requires|Returns|Postconditions|Throws|Complexity|Thread safety|Exceptions|Cost|Invariant"
PART = re.compile(rf"(?:^|(?<=[.;:)] ))({PARTS}): ")

# Words of a comment that are code: `*this`, calls, qualified names, names with a template argument or an underscore;
# and what is compared with them or assigned to them.
WORD = r"(?:\*this|~?[\w:]*\w(?:<[\w:&*, ]*>)?\([^() ]*\)|\w+(?:::\w+)+|\w+<[\w:&*, …]*>|\w*[a-z0-9]_[a-z0-9]\w*)"
CODE = re.compile(rf"(?<![\w`]){WORD}(?: (?:[=!<>]?=|[<>]) (?:{WORD}|nullptr|\w+))?(?!\w)|\bnullptr\b")


def page(header: Header, guide: str | None) -> str:
    """Returns the page of `header`. `guide` is its page in the documentation, as seen from here."""
    return "\n\n".join(_page(header, guide)) + "\n"


def sentence(comment: list[str]) -> str:
    """Returns the first sentence of a comment, without the name that it may begin with."""
    text = " ".join(line.strip() for line in next(_paragraphs(comment), []))
    text = re.split(r"(?<=[.:])(?: |$)", re.sub(r"^\S+(\(.*?\))?: ", "", text))[0].removesuffix(":")
    return _sentence(text)


def index(headers: list[Header]) -> str:
    """Returns the page that lists all pages."""
    parts = ["# Reference", "Each header with what it declares, from its comments. Search finds members by name."]
    for folder, group in groupby(headers, lambda header: header.path.parent):
        parts.append(f"## {folder.name}/")
        rows = [f"| [{header.path.name}]({place(header.path)}) | {sentence(header.opening)} |" for header in group]
        parts.append("\n".join(["| header | for |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def place(path: Path) -> str:
    """Returns where the page of a header is, from the index of the reference."""
    return path.relative_to("freehold").with_suffix(".md").as_posix()


def comment(lines: list[str]) -> str:
    """Returns a comment as Markdown."""
    return "\n\n".join(_comment(lines))


def _page(header: Header, guide: str | None) -> Iterator[str]:
    yield f"# {header.path.name}"
    yield f"```cpp\n#include <{header.path}>\n```"
    if guide:
        yield f"[When to use it, what it costs, what can go wrong]({guide})"
    yield from _comment(header.opening)
    yield from _entries(header.entries, 2)


def _entries(entries: list[Entry], level: int, of: str = "") -> Iterator[str]:
    title = ""
    for entry in entries:
        if not entry.names:
            yield from _comment(entry.comment)
            continue
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(entry.names))
        if of in entry.names:
            names += " constructors"
        if names != title:
            yield f"{'#' * level} {names}"
            title = names
        code = "\n".join(line if line.rstrip().endswith(";") or "//" in line else f"{line};" for line in entry.code)
        yield f"```cpp\n{code}\n```"
        yield from _comment(entry.comment)
        yield from _entries(entry.members, level + 1, entry.names[0])


def _comment(lines: list[str]) -> Iterator[str]:
    """Yields Markdown for a comment: paragraphs, what is indented as it stands, and the contract's parts as a list."""
    term = False  # whether what follows belongs to a part of a contract
    for is_verbatim, group in groupby(_paragraphs(lines), lambda paragraph: paragraph[0].startswith("  ")):
        for paragraph in group:
            if is_verbatim:
                margin = min(len(line) - len(line.lstrip()) for line in paragraph)
                language = "cpp" if margin > 4 else "text"
                block = "\n".join([f"```{language}", *(line[margin:] for line in paragraph), "```"])
                yield re.sub("^", "    ", block, flags=re.MULTILINE) if term else block
                continue
            before, *parts = PART.split(" ".join(line.strip() for line in paragraph))
            if before.strip():
                term = False
                yield _prose(before.strip())
            for name, text in zip(parts[::2], parts[1::2], strict=True):
                term = True
                yield f"{name}\n:   {_sentence(text.strip())}"


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Splits at empty lines, and where indented lines begin or end."""
    for (is_text, _), group in groupby(lines, lambda line: (bool(line.strip()), line.startswith("  "))):
        if is_text:
            yield list(group)


def _sentence(text: str) -> str:
    marked = _prose(text)  # code keeps its letters
    return marked[:1].upper() + marked[1:]


def _prose(text: str) -> str:
    """Marks what is code, and escapes the rest: a comment is no Markdown, save that it has code between backticks."""
    spans = re.split(r"(`[^`]+`)", text)
    return "".join(span if span.startswith("`") else _marked(span) for span in spans)


def _marked(text: str) -> str:
    parts, end = [], 0
    for found in CODE.finditer(text):
        parts += [_escaped(text[end : found.start()]), f"`{found[0]}`"]
        end = found.end()
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return re.sub(r"([\\*_\[\]|])", r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")
