"""The charts of a report: SVG drawn from the same figures as its tables, with no network and no script."""

from freehold_lab.report.charts import costs, data_size, lines, times
from freehold_lab.report.charts.style import Chart
from freehold_lab.report.figures import Figures
from freehold_lab.workloads import TIMED


def charts(figures: Figures, workload: str) -> list[Chart]:
    """The charts of `workload`: none where nothing of it was measured."""
    if workload == "operations":
        return [*costs.draw(figures), *lines.draw(figures)]
    if workload == "data-size":
        return list(data_size.draw(figures))
    return list(times.draw(figures, workload)) if workload in TIMED else []
