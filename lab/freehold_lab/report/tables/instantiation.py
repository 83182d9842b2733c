"""What it costs to make an owner of a new object and to release it: N1851's Appendix A."""

from itertools import groupby

from freehold_lab.report.figures import STATE_NAMES, Figures, Panel, Place
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import Cell, Column, Section, Table, rows
from freehold_lab.workloads import ALL

WORKLOAD = "instantiation"


def section(figures: Figures) -> Section:
    panels = figures.panels(WORKLOAD)
    return Section(
        workload=WORKLOAD,
        title=ALL[WORKLOAD].title,
        legend=[
            "An owner of a new object is made and released, over and over; or made, moved and released. Times are "
            "medians in nanoseconds for one owner; instr. and locked are instructions and locked read-modify-writes "
            "executed for it.",
            "Threads at once: all make and release equally many owners; the time is wall-clock time for one owner "
            "in each. Threads that do not slow each other down take as long as one thread.",
            text.about_ratios(figures, WORKLOAD),
        ],
        tables=[
            _table(figures, compiler, series, list(places))
            for compiler, group in groupby(panels, key=lambda panel: panel.compiler)
            for series, places in groupby(_places(figures, list(group)), key=lambda place: place.series)
        ],
    )


def where(place: Place) -> str:
    """Says in how many threads a point was measured, and in what company."""
    number = "two" if place.x == 2 else place.x
    return f"{number} threads at once" if place.x > 1 else STATE_NAMES[place.panel.state]


def _places(figures: Figures, panels: list[Panel]) -> list[Place]:
    """The points of both states: each series together, and in it several threads last."""
    places = [place for panel in panels for place in figures.places(WORKLOAD, panel)]
    series = list(dict.fromkeys(place.series for place in places))
    return sorted(places, key=lambda place: (series.index(place.series), place.x))


def _table(figures: Figures, compiler: str, series: str, places: list[Place]) -> Table:
    def cells(strategy: str) -> list[Cell]:
        return [cell for place in places for cell in _cells(figures, place, strategy)]

    return Table(
        subject=f"Instantiation, {series}",
        compiler=compiler,
        series=[series],
        columns=[Column(title, where(place).capitalize()) for place in places for title in _titles(place)],
        rows=rows(figures.taking_part(WORKLOAD), cells),
        command=f"./freehold run --only {WORKLOAD} --compiler {compiler}",
    )


def _titles(place: Place) -> list[str]:
    """What threads execute while they wait for each other varies, so it is not counted."""
    return ["ns", "ratio"] if place.x > 1 else ["ns", "ratio", "instr.", "locked"]


def _cells(figures: Figures, place: Place, strategy: str) -> list[Cell]:
    time = figures.times.get((place, strategy))
    counted = figures.counts.get((place, strategy))
    found = {
        "ns": text.amount(time and time.median),
        "ratio": text.ratio(figures, place, strategy),
        "instr.": text.count(counted and counted.instructions),
        "locked": text.count(counted and counted.locked),
    }
    return [found[title] for title in _titles(place)]
