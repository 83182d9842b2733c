"""The charts of a report: SVG drawn from the same figures as its tables, with no network and no script."""

from freehold_lab.report.charts import containers, costs, data_size, instantiation, lines, memory, programs
from freehold_lab.report.charts.style import Chart
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables.memory import SUBJECTS
from freehold_lab.workloads import PROGRAMS

DRAWN = {
    "operations": (costs.draw, lines.draw),
    "containers": (containers.draw,),
    "instantiation": (instantiation.draw,),
    **{workload: (programs.drawing(workload),) for workload in PROGRAMS},
    "data-size": (data_size.draw,),
    **{workload: (memory.drawing(workload),) for workload in SUBJECTS},
}


def charts(figures: Figures, workload: str) -> list[Chart]:
    """The charts of `workload`: none where nothing of it was measured."""
    return [chart for draw in DRAWN.get(workload, ()) for chart in draw(figures)]
