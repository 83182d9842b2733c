"""How long single operations take: percentiles, from series called "OF, GROUP, p99" or "GROUP, p99"."""

import re

from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import Cell, Column, Table, rows
from freehold_lab.workloads import Workload

NANOSECONDS_PER_MICROSECOND = 1e3
LATENCY = re.compile(r"(?:(?P<of>.+), )?(?P<group>[^,]+), (?P<figure>p[\d.]+|max)")


def tables(figures: Figures, subject: Workload) -> list[Table]:
    """A table for each panel and program, of the largest size."""
    timed = [place for place in dict.fromkeys(place for place, _ in figures.times) if place.workload == subject.name]
    told = [(place, match) for place in timed if (match := LATENCY.fullmatch(place.series))]
    largest = max((place.x for place, _ in told), default=0)
    by_table: dict[tuple[Panel, str], dict[Place, re.Match[str]]] = {}
    for place, match in told:
        if place.x == largest:
            by_table.setdefault((place.panel, match["of"] or ""), {})[place] = match
    return [_table(figures, subject, panel, of, columns) for (panel, of), columns in by_table.items()]


def _table(figures: Figures, subject: Workload, panel: Panel, of: str, columns: dict[Place, re.Match[str]]) -> Table:
    x = next(iter(columns)).x

    def cells(strategy: str) -> list[Cell]:
        times = [figures.times.get((place, strategy)) for place in columns]
        return [text.amount(time and time.median / NANOSECONDS_PER_MICROSECOND) for time in times]

    return Table(
        subject=f"{', '.join(filter(None, [subject.title, of]))}: operations in microseconds",
        size=subject.size.format(x) or subject.at(x),
        x=x,
        compiler=panel.compiler,
        state=panel.state,
        series=[of] if of else [],
        columns=[Column(match["figure"], match["group"].capitalize()) for match in columns.values()],
        rows=rows(figures.taking_part(subject.name), cells),
        command=f"./freehold run --only {subject.name} --compiler {panel.compiler}",
    )
