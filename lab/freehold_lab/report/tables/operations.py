"""What it costs to acquire, copy and release: the lines fitted to the operations workload."""

from freehold_lab.report.figures import Figures, Panel
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Section, Table, rows
from freehold_lab.statistics import LINE_WORKLOAD
from freehold_lab.workloads import ALL


def section(figures: Figures) -> Section:
    return Section(
        workload=LINE_WORKLOAD,
        title=ALL[LINE_WORKLOAD].title,
        legend=[
            "An object is made, shared by n handles (half copy constructed, half assigned) and released. The time is "
            "initialization + n × copy: a straight line fitted over set sizes n. Initialization includes new and "
            "delete of the object, a copy includes its destruction.",
            "Times are in nanoseconds ± two standard deviations; instr. and locked are instructions and locked "
            "read-modify-writes executed, by the same line through exact counts.",
            text.about_ratios(figures, LINE_WORKLOAD),
        ],
        tables=[_table(figures, panel) for panel in figures.panels(LINE_WORKLOAD)],
    )


def _table(figures: Figures, panel: Panel) -> Table:
    places = sorted(figures.places(LINE_WORKLOAD, panel), key=lambda place: place.x)
    ends = places[:1] + places[1:][-1:]

    def cells(strategy: str) -> list[Cell]:
        line = figures.lines.get((panel, strategy))
        counts = figures.count_line(panel, strategy)
        return [
            text.with_error(line.initialisation, line.initialisation_error) if line else NOTHING,
            text.count(counts and counts.initialisation.instructions),
            text.count(counts and counts.initialisation.locked),
            text.with_error(line.copy_cost, line.copy_error) if line else NOTHING,
            text.count(counts and counts.copy.instructions),
            text.count(counts and counts.copy.locked),
            *(text.ratio(figures, place, strategy) for place in ends),
        ]

    return Table(
        subject="Operations",
        compiler=panel.compiler,
        state=panel.state,
        columns=[
            Column("ns", "Initialization"),
            Column("instr.", "Initialization"),
            Column("locked", "Initialization"),
            Column("ns", "Copy"),
            Column("instr.", "Copy"),
            Column("locked", "Copy"),
            *(Column("ratio", f"Set of {place.x}") for place in ends),
        ],
        rows=rows(figures.taking_part(LINE_WORKLOAD), cells),
        command=f"./freehold run --only {LINE_WORKLOAD} --compiler {panel.compiler}",
    )
