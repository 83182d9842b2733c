"""What one translation unit says about the files of the tree. Places are offsets in bytes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

Place = tuple[Path, int]


@dataclass(frozen=True)
class Crossing:
    """An expression that passes from one library's owners to the other's."""

    file: Path
    start: int
    end: int
    function: str  # to_std or from_std


@dataclass(frozen=True)
class Remark:
    file: Path
    start: int
    reason: str


@dataclass(frozen=True)
class ByValue:
    """A parameter that is a shared pointer, and not a reference to one."""

    file: Path
    start: int
    name: str
    function: str
    key: tuple[str, int]  # the function for all units, and which parameter
    reason: str  # why it must be an owner; nothing if a reference would do
    is_quiet: bool  # whether nothing in the function could release the object


@dataclass
class Facts:
    unit: Path
    files: set[Path] = field(default_factory=set)
    # What a name means: one of names.SWITCHED, or anything else.
    meanings: dict[Place, str] = field(default_factory=dict)
    # The namespace that a qualifier means: std or boost.
    qualifiers: dict[Place, str] = field(default_factory=dict)
    # Names that keep their library, and why.
    kept: dict[Place, str] = field(default_factory=dict)
    crossings: set[Crossing] = field(default_factory=set)
    remarks: set[Remark] = field(default_factory=set)
    needed: set[tuple[Path, str]] = field(default_factory=set)  # headers that no name asks for
    skipped: dict[Path, frozenset[tuple[int, int]]] = field(default_factory=dict)
    included_at: set[tuple[Path, Path, int]] = field(default_factory=set)  # a file, by which it is included, where
    by_value: set[ByValue] = field(default_factory=set)
    passed: set[tuple[tuple[str, int], str]] = field(default_factory=set)  # what calls pass for a parameter
    address_taken: set[str] = field(default_factory=set)  # functions
    error: str = ""  # the first, if it does not compile


def files_of(facts: Iterable[Facts]) -> set[Path]:
    return {path for each in facts for path in each.files}
