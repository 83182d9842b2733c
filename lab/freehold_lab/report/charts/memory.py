"""The memory workloads: the time of each series, a chart for each compiler."""

from collections.abc import Callable, Iterator

from freehold_lab.report.charts import quartiles
from freehold_lab.report.charts.style import Chart
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables.memory import SUBJECTS

WIDTH = 190


def drawing(workload: str) -> Callable[[Figures], Iterator[Chart]]:
    """Returns what draws the charts of `workload`."""

    def draw(figures: Figures) -> Iterator[Chart]:
        for compiler in figures.compilers:
            values = [
                value
                for panel in figures.panels(workload)
                if panel.compiler == compiler
                for place in figures.places(workload, panel)
                for value in quartiles.values(figures, place.series, place, place.x)
            ]
            labels = [each.label for each in figures.measured(workload) if each.is_built_with(compiler)]
            if values:
                caption = (
                    f"{compiler}: nanoseconds for one {SUBJECTS[workload].per}; median and quartiles over launches."
                )
                yield Chart(caption, quartiles.draw(values, labels, "nanoseconds", WIDTH))

    return draw
