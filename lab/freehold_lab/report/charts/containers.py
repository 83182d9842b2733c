"""Containers: the time to fill and to sort, all four at a glance."""

from collections.abc import Iterator

from freehold_lab.report.charts import quartiles
from freehold_lab.report.charts.style import Chart
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables.containers import NANOSECONDS_PER_MILLISECOND, WORKLOAD


def draw(figures: Figures) -> Iterator[Chart]:
    labels = [strategy.label for strategy in figures.measured(WORKLOAD)]
    for compiler in figures.compilers:
        values = [
            value
            for panel in figures.panels(WORKLOAD)
            if panel.compiler == compiler
            for place in figures.places(WORKLOAD, panel)
            for value in quartiles.values(figures, place.series, place, NANOSECONDS_PER_MILLISECOND)
        ]
        if values:
            caption = f"{compiler}: milliseconds to fill and to sort; median and quartiles over launches."
            yield Chart(caption, quartiles.draw(values, labels, "milliseconds"))
