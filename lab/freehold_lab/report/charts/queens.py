"""Queens: the time of the largest board, a panel for each style."""

from collections.abc import Iterator

from freehold_lab.report.charts import quartiles
from freehold_lab.report.charts.style import Chart
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables.queens import NANOSECONDS_PER_MILLISECOND
from freehold_lab.workloads import QUEENS

WIDTH = 170


def draw(figures: Figures) -> Iterator[Chart]:
    labels = [strategy.label for strategy in figures.measured(QUEENS)]
    largest = max((place.x for place, _ in figures.times if place.workload == QUEENS), default=0)
    for compiler in figures.compilers:
        values = [
            value
            for panel in figures.panels(QUEENS)
            if panel.compiler == compiler
            for place in figures.places(QUEENS, panel)
            if place.x == largest
            for value in quartiles.values(figures, place.series, place, NANOSECONDS_PER_MILLISECOND)
        ]
        if values:
            caption = f"{compiler}: milliseconds for a board of n = {largest}; median and quartiles over launches."
            yield Chart(caption, quartiles.draw(values, labels, "milliseconds", WIDTH))
