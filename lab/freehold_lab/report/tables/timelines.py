"""Memory over time: what was present at most, in the mean and at the end, and what that cost."""

from freehold_lab.model import Timeline
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Section, Table, rows
from freehold_lab.statistics import mean_of_steps
from freehold_lab.workloads import ALL, TIMELINES

COLUMNS = [
    *(Column(title, "Resident, MiB") for title in ("peak", "mean", "÷ used", "end", "trimmed")),
    *(Column(title, "Processor, ms") for title in ("all", "system")),
    Column("page faults"),
]


def sections(figures: Figures) -> list[Section]:
    """A section for each workload that was measured."""
    return [
        Section(
            workload=workload,
            title=ALL[workload].title,
            legend=_legend(figures, workload),
            tables=[_table(figures, workload, series, told) for series, told in found.items()],
        )
        for workload in TIMELINES
        if (found := figures.timelines.get(workload))
    ]


def _legend(figures: Figures, workload: str) -> list[str]:
    return [
        ALL[workload].about,
        f"{figures.reference_label(workload)} has the C library's malloc; the other mallocs replace it in the whole "
        "program. Resident is all memory of the process but that of files. Mean is that after each step; ÷ used is "
        "over the mean of what the program had written and not freed. End is after the last step, trimmed after "
        "malloc_trim(0), which only some provide. Processor times are of one run, beside which others ran, so small "
        "differences mean nothing; system is the part that the system took. A page fault is a page that it had to "
        "provide.",
    ]


def _table(figures: Figures, workload: str, series: str, told: dict[str, Timeline]) -> Table:
    def cells(strategy: str) -> list[Cell]:
        return _cells(told[strategy]) if strategy in told else [NOTHING] * len(COLUMNS)

    return Table(
        subject=f"{ALL[workload].title}, {series}",
        series=[series],
        columns=COLUMNS,
        rows=rows(figures.taking_part(workload), cells),
        command=f"./freehold run --only {workload}",
    )


def _cells(told: Timeline) -> list[Cell]:
    resident, used = (mean_of_steps(told.moments, which) for which in ("resident", "used"))
    return [
        text.mebibytes(told.peak),
        text.mebibytes(resident),
        Cell(text.times(resident / used), value=resident / used) if used > 0 else NOTHING,
        text.mebibytes(told.moments[-1].resident),
        text.mebibytes(told.trimmed),
        text.amount(told.processor),
        text.amount(told.system),
        text.count(told.faults),
    ]
