"""What mkdocs calls while it builds the site: mkdocs.yml names this file."""

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from freehold_lab import folders
from freehold_lab.site import headers, links, reference, searching

LINKS = links.Links()
MEMBERS: dict[str, list[str]] = {}  # by the page of a type, as the search calls it
OWN_PAGES = ("index.md", "README.md")  # of a folder


def on_config(config: MkDocsConfig) -> None:
    config.markdown_extensions.append(LINKS)


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the pages that are not under docs/."""

    def add(place: str, content: str) -> None:
        files.append(File.generated(config, place, content=content))

    for path, place in links.PLACES.items():
        if files.get_file_from_path(place) is None:
            files.append(File.generated(config, place, abs_src_path=str(folders.ROOT / path)))
    found = [header for header in headers.read(headers.public()) if header.entries]
    for header in found:
        guide = header.path.relative_to("freehold").with_suffix(".md").as_posix()
        documented = files.get_file_from_path(guide) is not None
        MEMBERS[Path(guide).with_suffix(".html").as_posix()] = reference.members(header)
        add(f"reference/{guide}", reference.page(header, f"../../{guide}" if documented else None))
    add("reference/index.md", reference.index(found))
    for example in sorted((folders.ROOT / "examples").glob("*.cpp")):
        add(links.place(f"examples/{example.name}"), _example(example))
    LINKS.known = {file.src_uri for file in files}
    config.nav = _expanded(config.nav, files)


def on_page_markdown(markdown: str, page: Page, **_: Any) -> None:
    LINKS.page = _origin(page.file)


def on_post_page(output: str, **_: Any) -> str:
    """Names the dialog of the search, which Material leaves without a name for screen readers."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


@event_priority(100)  # before the plugin writes its index
def on_post_build(config: MkDocsConfig) -> None:
    if search := config.plugins.get("material/search"):
        searching.weigh(search.search_index.entries, MEMBERS)


def _origin(file: File) -> str | None:
    """Returns the file of the repository that a page is made from, if it is made from one alone."""
    return Path(file.abs_src_path).relative_to(folders.ROOT).as_posix() if file.abs_src_path else None


def _title(example: Path) -> str:
    return example.stem.replace("_", " ").capitalize()


def _example(example: Path) -> str:
    comment, code = _opening(example)
    fence = f'```cpp title="examples/{example.name}"'
    return f"# {_title(example)}\n\n{reference.comment(comment)}\n\n{fence}\n{code}```\n"


def _opening(file: Path) -> tuple[list[str], str]:
    """Returns the comment at the beginning of a file, and what follows."""
    lines = file.read_text().splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return [line[2:] for line in lines[:end]], "\n".join(lines[end:]).strip() + "\n"


def _expanded(nav: Any, files: Files) -> Any:
    """Puts in the place of an entry that ends in / the pages of that folder that the navigation does not name."""
    named = list(_strings(nav))
    pages = [file.src_uri for file in files.documentation_pages() if file.src_uri not in named]

    def expand(entry: Any) -> Any:
        if isinstance(entry, dict):
            return {title: expand(below) for title, below in entry.items()}
        if isinstance(entry, list):
            return [item for part in entry for item in _list(expand(part))]
        if not entry.endswith("/"):
            return entry
        others = tuple(name for name in named if name.endswith("/") and name.startswith(entry) and name != entry)
        return _folder(entry, [page for page in pages if not page.startswith(others)])

    return expand(nav)


def _folder(folder: str, pages: list[str]) -> list[Any]:
    """Returns the pages in a folder, its own first, and then a section for each folder in it."""
    below = sorted(page.removeprefix(folder) for page in pages if page.startswith(folder))
    here = sorted((name for name in below if "/" not in name), key=lambda name: (name not in OWN_PAGES, name))
    sections = dict.fromkeys(name.partition("/")[0] for name in below if "/" in name)
    return [folder + name for name in here] + [
        {name.capitalize(): _folder(f"{folder}{name}/", pages)} for name in sections
    ]


def _strings(nav: Any) -> list[str]:
    if isinstance(nav, dict):
        return _strings(list(nav.values()))
    return [nav] if isinstance(nav, str) else [name for part in nav for name in _strings(part)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
