"""What `./freehold switch` does: reads the tree, decides, shows or writes, and reports."""

from dataclasses import dataclass
from pathlib import Path

from freehold_lab.errors import LabError
from freehold_lab.switching import deciding, including, parallel, reading, reporting, units, writing
from freehold_lab.switching.facts import Facts, files_of
from freehold_lab.switching.lexing import Source
from freehold_lab.switching.names import SPELLINGS
from freehold_lab.switching.tree import Tree
from freehold_lab.switching.units import Unit


@dataclass(frozen=True)
class Request:
    path: Path
    options: list[str]
    build: Path | None = None
    outside: tuple[Path, ...] = ()
    write: bool = False
    force: bool = False


def switch(request: Request) -> None:
    """Raises LabError if there is nothing to read, or the tree must not be written."""
    root = request.path.resolve()
    if not root.is_dir():
        raise LabError(f"{request.path} is no folder")
    for path in request.outside:
        if not (root / path).exists():
            raise LabError(f"{path} is not in {request.path}")
    if request.write and not request.force:
        writing.require_committed(root)
    tree = Tree(root, tuple((root / path).resolve() for path in request.outside))
    found = [unit for unit in units.find(root, request.build, request.options) if tree.has(unit.file)]
    facts = parallel.read(found, tree)
    facts += parallel.read(_headers_alone(tree, found, facts, request.options), tree)
    if not facts:
        raise LabError(f"{request.path} has no C++ sources")
    sources = {path: reading.source(path) for path in sorted(files_of(facts))}
    decisions = deciding.decide(facts, sources)
    including.include(decisions, facts)
    changed = [decision for decision in decisions if decision.edits]
    if request.write:
        writing.write(changed)
    else:
        print(*(writing.difference(decision, root) for decision in changed), sep="", end="")
    print(*reporting.lines(root, found, facts, decisions, _unread(tree, sources)), sep="\n")


def _headers_alone(tree: Tree, found: list[Unit], facts: list[Facts], options: list[str]) -> list[Unit]:
    """Returns as units the headers that no unit includes, with the options of the first."""
    default = options or [*units.DEFAULT, f"-I{tree.root}", f"-I{tree.root / 'include'}"]
    return [
        Unit(path, found[0].folder, found[0].options) if found else units.alone(path, default)
        for path in _unread(tree, dict.fromkeys(files_of(facts)), units.HEADERS)
    ]


def _unread(tree: Tree, known: dict[Path, Source] | dict[Path, None], endings: set[str] | None = None) -> list[Path]:
    """Returns the files that no unit has, and that have a name to switch."""
    found = units.files(tree.root, endings or units.HEADERS | units.SOURCES)
    return [path for path in found if tree.has(path) and path.resolve() not in known and _has_names(path)]


def _has_names(path: Path) -> bool:
    text = path.read_text(errors="replace")
    return any(name in text for name in SPELLINGS)
