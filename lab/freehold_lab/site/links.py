"""Where the files of the repository are on the site, and links that are right in both.

A page links to what it would in the repository. On the site, pages under docs/ lie at the top; a header leads to its
page in the reference, an example to its page, and any other file to a page that shows it.
"""

import posixpath
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from freehold_lab import folders

PLACES = {"README.md": "index.md", "CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md"}


def place(path: str) -> str:
    """Returns where a file of the repository is on the site."""
    at = Path(path)
    if path in PLACES:
        return PLACES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith("include/freehold/"):
        return f"reference/{at.relative_to('include/freehold').with_suffix('.md')}"
    if path.startswith("examples/") and at.suffix == ".cpp":
        return at.with_suffix(".md").as_posix()
    return f"source/{path}.md"


def target(page: str, link: str) -> str | None:
    """Returns the file or folder of the repository that a link of the file `page` leads to, if it is one."""
    path = unquote(urlsplit(link).path)
    if not path or re.match(r"[a-z]+:|//", link):
        return None
    found = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return found if (folders.ROOT / found).exists() else None


class Links(Extension):  # type: ignore[misc]  # brings no types
    """Rewrites the links of a page of the repository. `page` is the file, `known` are the pages of the site."""

    def __init__(self) -> None:
        super().__init__()
        self.page: str | None = None
        self.known: set[str] = set()

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.treeprocessors.register(_Rewriter(self), "freehold_links", 1)  # before mkdocs, which has 0, looks at them


class _Rewriter(Treeprocessor):  # type: ignore[misc]
    def __init__(self, links: Links) -> None:
        super().__init__()
        self.links = links

    def run(self, root: Element) -> None:
        for table in root.iter("table"):
            _drop_empty_head(table)
        page = self.links.page
        if page is None:
            return
        here = place(page)
        for element in root.iter():
            if (link := element.get("href")) and (found := target(page, link)):
                self._relink(element, here, found, urlsplit(link).fragment)
        header = page.replace("docs/", "include/freehold/", 1).removesuffix(".md") + ".hpp"
        if (folders.ROOT / header).exists() and place(header) in self.links.known:
            _lead_to(root, _relative(here, place(header)), header.removeprefix("include/"))

    def _relink(self, element: Element, here: str, found: str, anchor: str) -> None:
        there = f"{found}/README.md" if (folders.ROOT / found).is_dir() else found
        if place(there) in self.links.known:
            element.set("href", _relative(here, place(there)) + (f"#{anchor}" if anchor else ""))
        elif (folders.ROOT / found).is_dir():
            element.tag = "span"  # the site has no page for a folder
            del element.attrib["href"]


def _lead_to(root: Element, link: str, header: str) -> None:
    """Adds a line below the title: the way to the reference."""
    line = Element("p", {"class": "header"})
    SubElement(line, "a", href=link).text = f"Reference: {header}"
    root.insert(1, line)


def _drop_empty_head(table: Element) -> None:
    """In the repository a table must have a head, even an empty one, which a screen reader would read out."""
    head = table.find("thead")
    if head is not None and not any("".join(cell.itertext()).strip() for cell in head.iter("th")):
        table.remove(head)


def _relative(here: str, there: str) -> str:
    return posixpath.relpath(there, posixpath.dirname(here) or ".")
