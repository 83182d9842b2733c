"""What ownership costs a program on immutable lists, by how it passes them."""

from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Section, Table, rows
from freehold_lab.workloads import QUEENS

NANOSECONDS_PER_MILLISECOND = 1e6


def section(figures: Figures) -> Section:
    panels = figures.panels(QUEENS)
    return Section(
        workload=QUEENS,
        title="Queens",
        legend=_legend(figures) if panels else [],
        tables=[
            _table(figures, panel, size) for panel in panels for size in sorted({p.x for p in _places(figures, panel)})
        ],
    )


def _legend(figures: Figures) -> list[str]:
    return [
        "A logic program on immutable lists finds every way to place n queens on a board of n × n squares. By value: "
        "lists are passed by value, as the article had them. Const reference: by reference to const, with names for "
        "intermediate results. Modern: by reference to const, with moves and no copy but what is stored. Borrowed: as "
        "plain pointers, and owned only where they are stored. OCaml passes lists in one way: its program is the same "
        "in every style.",
        "Times are medians in milliseconds; instr. and locked are instructions and locked read-modify-writes executed, "
        "on a small board because counting is slow.",
        text.about_ratios(figures, QUEENS),
    ]


def _places(figures: Figures, panel: Panel) -> list[Place]:
    """The points that were timed or counted."""
    found = dict.fromkeys(place for place, _ in (*figures.times, *figures.counts))
    return [place for place in found if place.workload == QUEENS and place.panel == panel]


def _table(figures: Figures, panel: Panel, size: int) -> Table:
    places = [place for place in _places(figures, panel) if place.x == size]
    titles = _titles(figures, places[0])

    def cells(strategy: str) -> list[Cell]:
        found = [_cells(figures, place, strategy) for place in places]
        return [each[title] for each in found for title in titles]

    return Table(
        title=f"Queens, n = {size}: {panel}",
        columns=[Column(title, place.series.capitalize()) for place in places for title in titles],
        rows=rows(figures.taking_part(QUEENS), cells),
        command=f"./freehold run --only {QUEENS} --compiler {panel.compiler}",
    )


def _titles(figures: Figures, place: Place) -> list[str]:
    timed = any(place == at for at, _ in figures.times)
    counted = any(place == at for at, _ in figures.counts)
    return ["ms", "ratio"] * timed + ["instr.", "locked"] * counted


def _cells(figures: Figures, place: Place, strategy: str) -> dict[str, Cell]:
    time = figures.times.get((place, strategy))
    counted = figures.counts.get((place, strategy))
    return {
        "ms": Cell(text.significant(time.median / NANOSECONDS_PER_MILLISECOND)) if time else NOTHING,
        "ratio": text.ratio(figures, place, strategy),
        "instr.": text.count(counted and counted.instructions),
        "locked": text.count(counted and counted.locked),
    }
