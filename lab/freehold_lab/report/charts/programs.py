"""The programs: the time of the largest size, a panel for each series."""

from collections.abc import Callable, Iterator

from freehold_lab.report.charts import quartiles
from freehold_lab.report.charts.style import Chart
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables.programs import NANOSECONDS_PER_MILLISECOND, SUBJECTS

WIDTH = 170


def drawing(workload: str) -> Callable[[Figures], Iterator[Chart]]:
    """Returns what draws the charts of `workload`."""

    def draw(figures: Figures) -> Iterator[Chart]:
        labels = [strategy.label for strategy in figures.measured(workload)]
        largest = max((place.x for place, _ in figures.times if place.workload == workload), default=0)
        for compiler in figures.compilers:
            values = [
                value
                for panel in figures.panels(workload)
                if panel.compiler == compiler
                for place in figures.places(workload, panel)
                if place.x == largest
                for value in quartiles.values(figures, place.series, place, NANOSECONDS_PER_MILLISECOND)
            ]
            if values:
                size = SUBJECTS[workload].size.format(largest)
                caption = f"{compiler}: milliseconds at {size}; median and quartiles over launches."
                yield Chart(caption, quartiles.draw(values, labels, "milliseconds", WIDTH))

    return draw
