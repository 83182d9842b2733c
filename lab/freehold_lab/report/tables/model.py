"""What a table is before anyone has drawn it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby

from freehold_lab.model import Strategy


class Tone(StrEnum):
    """How a cell looks, by what it means."""

    PLAIN = "plain"
    MUTED = "muted"
    FASTER = "faster"
    SLOWER = "slower"


@dataclass(frozen=True)
class Cell:
    """`detail` (an error, an interval, a cold part) is drawn dim, and left out where there is no room."""

    text: str
    detail: str = ""
    tone: Tone = Tone.PLAIN


NOTHING = Cell("–", tone=Tone.MUTED)


@dataclass(frozen=True)
class Column:
    """`group` is a heading above this column and those after it that have the same."""

    title: str
    group: str = ""
    words: bool = False  # left-aligned text instead of figures


@dataclass(frozen=True)
class Row:
    """`note` stands instead of figures: why there are none."""

    label: str
    cells: list[Cell] = field(default_factory=list)
    note: str = ""


@dataclass(frozen=True)
class Table:
    """`command` is what to type to see it again."""

    title: str
    columns: list[Column]
    rows: list[Row]
    command: str

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above the columns, each with the number of columns below it."""
        return [(name, len(list(members))) for name, members in groupby(self.columns, key=lambda c: c.group)]


@dataclass(frozen=True)
class Listing:
    """Machine code, a column of lines for each function by its title."""

    title: str
    columns: dict[str, list[str]]


@dataclass(frozen=True)
class Section:
    """The tables of one workload; `legend` says how to read any of them. `listings` are too long for a terminal."""

    workload: str
    title: str
    legend: list[str]
    tables: list[Table]
    listings: list[Listing] = field(default_factory=list)


def rows(strategies: list[Strategy], cells_of: Callable[[str], list[Cell]]) -> list[Row]:
    """A row for each strategy; one that could not be measured here says why."""
    return [
        Row(strategy.label, cells_of(strategy.name))
        if strategy.status == "measured"
        else Row(strategy.label, note=strategy.note or strategy.status)
        for strategy in strategies
    ]
