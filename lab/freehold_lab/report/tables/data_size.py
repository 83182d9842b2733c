"""How many bytes a handle takes, and what comes with it on the heap."""

from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Section, Table, rows

WORKLOAD = "data-size"
AXES = ("handle", "control", "altogether")  # as the model calls them


def section(figures: Figures) -> Section:
    compilers = [name for name in figures.compilers if any(data.compiler == name for data in figures.result.data)]

    def cells(strategy: str) -> list[Cell]:
        found = [figures.data.get((compiler, strategy)) for compiler in compilers]
        return [text.count(getattr(data, axis)) if data else NOTHING for data in found for axis in AXES]

    return Section(
        workload=WORKLOAD,
        title="Data size",
        legend=[
            "All in bytes. Handle: sizeof the pointer. Control: heap memory beyond that of a plain new of the object, "
            "for one object. Altogether: what an object costs with one handle to it."
        ],
        tables=[
            Table(
                title="Data size, bytes",
                columns=[Column(axis, compiler) for compiler in compilers for axis in AXES],
                rows=rows(figures.taking_part(WORKLOAD), cells),
                command=f"./freehold run --only {WORKLOAD}",
            )
        ]
        if compilers
        else [],
    )
