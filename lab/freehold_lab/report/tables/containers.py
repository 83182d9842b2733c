"""What containers of handles cost to fill and to sort."""

from itertools import groupby

from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import Cell, Column, Section, Table, rows
from freehold_lab.workloads import ALL

WORKLOAD = "containers"
NANOSECONDS_PER_MILLISECOND = 1e6


def section(figures: Figures) -> Section:
    panels = figures.panels(WORKLOAD)
    places = [place for panel in panels for place in figures.places(WORKLOAD, panel)]
    pointees = " or ".join(f"{x:,}" for x in dict.fromkeys(place.x for place in places))
    counted = dict.fromkeys(at.x for place in places if (at := figures.counted_at(place)))
    counted_pointees = " or ".join(f"{x:,}" for x in counted)
    legend = [
        f"A container is filled with handles to {pointees} objects that hold a random number, then sorted by it. "
        "Times are medians in milliseconds.",
        text.about_ratios(figures, WORKLOAD),
    ]
    if counted:
        legend.append(
            "instr. and locked are instructions and locked read-modify-writes executed per object, counted with "
            f"{counted_pointees} objects."
        )
    return Section(
        workload=WORKLOAD,
        title=ALL[WORKLOAD].title,
        legend=legend if panels else [],
        tables=[
            _table(figures, panel, container, list(places))
            for panel in panels
            for container, places in groupby(figures.places(WORKLOAD, panel), key=_container)
        ],
    )


def _container(place: Place) -> str:
    return place.series.split()[0]


def _table(figures: Figures, panel: Panel, container: str, places: list[Place]) -> Table:
    def cells(strategy: str) -> list[Cell]:
        return [cell for place in places for cell in _cells(figures, place, strategy)]

    return Table(
        subject=f"Containers, {container}",
        compiler=panel.compiler,
        state=panel.state,
        series=[place.series for place in places],
        columns=[
            Column(title, place.series.capitalize())
            for place in places
            for title in ("ms", "ratio", "instr.", "locked")
        ],
        rows=rows(figures.taking_part(WORKLOAD), cells),
        command=f"./freehold run --only {WORKLOAD} --compiler {panel.compiler}",
    )


def _cells(figures: Figures, place: Place, strategy: str) -> list[Cell]:
    time = figures.times.get((place, strategy))
    counted = figures.counted_for_one(place, strategy)
    return [
        text.amount(time and time.median / NANOSECONDS_PER_MILLISECOND),
        text.ratio(figures, place, strategy),
        text.count(counted and counted.instructions),
        text.count(counted and counted.locked),
    ]
