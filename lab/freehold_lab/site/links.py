"""Where the files of the repository are on the site, and links that are right in both.

A page links to what it would in the repository. On the site, pages under docs/ lie at the top; a header leads to its
page in the reference and an example to its page, also where it is only named as code. Other files have no page: a link
to one is plain text.
"""

import posixpath
import re
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from freehold_lab import folders

PLACES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "examples/README.md": "examples/index.md",
}
SHOWN = ("include/", "examples/")


def place(path: str) -> str:
    """Returns where the page of a file of the repository is on the site, if it has one."""
    if path in PLACES:
        return PLACES[path]
    stem, _ = posixpath.splitext(path)
    return f"{stem.removeprefix('docs/').replace('include/freehold/', 'reference/', 1)}.md"


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
            _drop_empty_heads(table)
        page = self.links.page
        if page is None:
            return
        for element in list(root.iter()):
            if (link := element.get("href")) and (found := target(page, link)):
                self._relink(element, found, urlsplit(link).fragment)
            if element.tag not in ("a", "pre"):
                self._link_names(element)
        header = page.replace("docs/", "include/freehold/", 1).removesuffix(".md") + ".hpp"
        if (folders.ROOT / header).exists() and (to := self._way(header)):
            _lead_to(root, to, header.removeprefix("include/"))

    def _way(self, path: str) -> str | None:
        """Returns the link from this page to that of a file, if it has one."""
        there, here = place(path), place(self.links.page or "")
        return posixpath.relpath(there, posixpath.dirname(here) or ".") if there in self.links.known else None

    def _relink(self, element: Element, found: str, anchor: str) -> None:
        is_folder = (folders.ROOT / found).is_dir()
        if to := self._way(f"{found}/README.md" if is_folder else found):
            element.set("href", to + (f"#{anchor}" if anchor else ""))
        else:
            element.tag = "span"
            del element.attrib["href"]

    def _link_names(self, parent: Element) -> None:
        for i, child in enumerate(parent):
            if child.tag == "code" and (child.text or "").startswith(SHOWN) and (to := self._way(child.text or "")):
                link = Element("a", href=to)
                link.tail, child.tail = child.tail, None
                parent[i] = link
                link.append(child)


def _lead_to(root: Element, link: str, header: str) -> None:
    """Adds a line below the title: the way to the reference."""
    line = Element("p", {"class": "header"})
    SubElement(line, "a", href=link).text = f"Reference: {header}"
    root.insert(1, line)


def _drop_empty_heads(table: Element) -> None:
    """In the repository a table must have a head, and a cell in it for each column. A screen reader should not stop at
    an empty one."""
    head = table.find("thead")
    if head is None:
        return
    cells = list(head.iter("th"))
    named = [cell for cell in cells if "".join(cell.itertext()).strip()]
    if not named:
        table.remove(head)
    for cell in cells:
        if cell not in named:
            cell.tag = "td"
