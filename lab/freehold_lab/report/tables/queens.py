"""What ownership costs a program on immutable lists, by how it passes them."""

from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import queens_shares, text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Section, Table, rows
from freehold_lab.workloads import QUEENS

NANOSECONDS_PER_MILLISECOND = 1e6


def section(figures: Figures) -> Section:
    boards = [
        _table(figures, panel, size)
        for panel in figures.panels(QUEENS)
        for size in sorted({place.x for place in _places(figures, panel)})
    ]
    tables = boards + queens_shares.tables(figures) + _memory_tables(figures)
    return Section(workload=QUEENS, title="Queens", legend=_legend(figures) if tables else [], tables=tables)


def _legend(figures: Figures) -> list[str]:
    return [
        "A logic program on immutable lists finds every way to place n queens on a board of n × n squares. By value: "
        "lists are passed by value, as the article had them. Const reference: by reference to const, with names for "
        "intermediate results. Modern: by reference to const, with moves and no copy but what is stored. Borrowed: as "
        "plain pointers, and owned only where they are stored. OCaml passes lists in one way, and so do uncounted lists, "
        "whose cells are raw: their program is the same in every style.",
        "Times are medians in milliseconds; instr. and locked are instructions and locked read-modify-writes executed, "
        "on a small board because counting is slow. Peak is the memory taken, left what is kept when all is freed.",
        text.about_ratios(figures, QUEENS),
        *queens_shares.sentences(figures),
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


def _memory_tables(figures: Figures) -> list[Table]:
    """A table for each compiler, of the largest board."""
    weighed = [place for place in figures.peaks if place[0] == QUEENS]
    largest = max((x for *_, x in weighed), default=0)
    styles = list(dict.fromkeys(style for _, _, style, x in weighed if x == largest))

    def table(compiler: str) -> Table:
        def cells(strategy: str) -> list[Cell]:
            uses = [figures.peaks.get((QUEENS, compiler, style, largest), {}).get(strategy) for style in styles]
            return [text.kibibytes(use, which) for use in uses for which in ("peak", "left")]

        return Table(
            title=f"Queens, memory in KiB, n = {largest}: {compiler}",
            columns=[Column(which, style.capitalize()) for style in styles for which in ("peak", "left")],
            rows=rows(figures.taking_part(QUEENS), cells),
            command=f"./freehold run --only {QUEENS} --compiler {compiler}",
        )

    compilers = dict.fromkeys(compiler for _, compiler, _, x in weighed if x == largest)
    return [table(compiler) for compiler in compilers]
