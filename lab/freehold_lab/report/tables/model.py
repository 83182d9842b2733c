"""What a table is before anyone has drawn it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby

from freehold_lab.model import State, Strategy
from freehold_lab.report.figures import STATE_NAMES


class Tone(StrEnum):
    """How a cell looks, by what it means."""

    PLAIN = "plain"
    MUTED = "muted"
    FASTER = "faster"
    SLOWER = "slower"


@dataclass(frozen=True)
class Cell:
    """`detail` (an error, an interval, a cold part) is drawn dim, and left out where there is no room. `value` is what
    columns are sorted by, and what is copied into a spreadsheet."""

    text: str
    detail: str = ""
    tone: Tone = Tone.PLAIN
    value: float | None = None


NOTHING = Cell("–", tone=Tone.MUTED)


@dataclass(frozen=True)
class Column:
    """`group` is a heading above this column and those after it that have the same."""

    title: str
    group: str = ""
    words: bool = False  # left-aligned text instead of figures


@dataclass(frozen=True)
class Row:
    """`note` stands instead of figures: why there are none. `strategy` is the name of that whose figures they are."""

    label: str
    cells: list[Cell] = field(default_factory=list)
    note: str = ""
    strategy: str = ""


@dataclass(frozen=True)
class Table:
    """`command` is what to type to see it again. `size` (at `x`), `compiler` and `state` are those of all figures in
    it, as far as they have one in common; `series` are those in it, where a workload has a table for each of several.
    """

    subject: str
    columns: list[Column]
    rows: list[Row]
    command: str
    size: str = ""
    x: int = 0
    compiler: str = ""
    state: State | None = None
    series: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        what = ", ".join(filter(None, [self.subject, self.size]))
        where = ", ".join(filter(None, [self.compiler, self.state and STATE_NAMES[self.state]]))
        return f"{what}: {where}" if where else what

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above the columns, each with the number of columns below it."""
        return [(name, len(list(members))) for name, members in groupby(self.columns, key=lambda c: c.group)]


@dataclass(frozen=True)
class Section:
    """The tables of one workload; `legend` says how to read any of them."""

    workload: str
    title: str
    legend: list[str]
    tables: list[Table]


def rows(strategies: list[Strategy], cells_of: Callable[[str], list[Cell]]) -> list[Row]:
    """A row for each strategy; one that could not be measured here says why."""
    return [
        Row(strategy.label, cells_of(strategy.name), strategy=strategy.name)
        if strategy.status == "measured"
        else Row(strategy.label, note=strategy.note or strategy.status, strategy=strategy.name)
        for strategy in strategies
    ]
