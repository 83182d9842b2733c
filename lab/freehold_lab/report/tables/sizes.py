"""How much machine code each operation becomes, and how many bytes a handle and what it owns take."""

from freehold_lab.model import Code
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Row, Section, Table, rows
from freehold_lab.workloads import ALL

CODE, DATA = "code-size", "data-size"
LEGEND = (
    "N/M/I: N instructions of M bytes, inlined (I) or with a part that stays out of line (O). What follows a + is the "
    "cold part, which the compiler moved out of the way, in instructions/bytes."
)
AXES = ("handle", "control", "altogether")  # as the model calls them


def sections(figures: Figures) -> list[Section]:
    return [_code_section(figures), _data_section(figures)]


def _code_section(figures: Figures) -> Section:
    compilers = [name for name in figures.compilers if any(code.compiler == name for code in figures.result.code)]
    return Section(
        workload=CODE,
        title=ALL[CODE].title,
        legend=[LEGEND],
        tables=[
            table for name in compilers for table in (_code_table(figures, name), _calls(figures, name)) if table.rows
        ],
    )


def _code_table(figures: Figures, compiler: str) -> Table:
    operations = list(dict.fromkeys(code.operation for code in figures.result.code if code.compiler == compiler))

    def cells(strategy: str) -> list[Cell]:
        return [code(figures.code.get((compiler, strategy, operation))) for operation in operations]

    return Table(
        subject="Code size",
        compiler=compiler,
        columns=[Column("N/M/I", operation) for operation in operations],
        rows=rows(figures.taking_part(CODE), cells),
        command=_command(compiler),
    )


def code(found: Code | None) -> Cell:
    if found is None:
        return NOTHING
    cold = f"+ {found.cold.instructions}/{found.cold.bytes}" if found.cold.instructions else ""
    hot = found.hot
    return Cell(f"{hot.instructions}/{hot.bytes}/{'I' if found.inlined else 'O'}", cold, value=hot.instructions)


def _calls(figures: Figures, compiler: str) -> Table:
    """What is called out of line, a row for each strategy and callee."""
    callers: dict[tuple[str, str], list[str]] = {}
    for code in figures.result.code:
        if code.compiler == compiler:
            for callee in code.calls:
                callers.setdefault((code.strategy, callee), []).append(code.operation)
    return Table(
        subject="Called out of line",
        compiler=compiler,
        columns=[Column("from", words=True), Column("calls", words=True)],
        rows=[
            Row(strategy.label, [Cell(" ".join(dict.fromkeys(operations))), Cell(callee)], strategy=strategy.name)
            for strategy in figures.strategies
            for (name, callee), operations in callers.items()
            if name == strategy.name
        ],
        command=_command(compiler),
    )


def _command(compiler: str) -> str:
    return f"./freehold run --only {CODE} --compiler {compiler}"


def _data_section(figures: Figures) -> Section:
    compilers = [name for name in figures.compilers if any(data.compiler == name for data in figures.result.data)]

    def cells(strategy: str) -> list[Cell]:
        found = [figures.data.get((compiler, strategy)) for compiler in compilers]
        return [text.count(getattr(data, axis)) if data else NOTHING for data in found for axis in AXES]

    return Section(
        workload=DATA,
        title=ALL[DATA].title,
        legend=[
            "All in bytes. Handle: sizeof the pointer. Control: heap memory beyond that of a plain new of the object, "
            "for one object. Altogether: what an object costs with one handle to it."
        ],
        tables=[
            Table(
                subject="Data size, bytes",
                columns=[Column(axis, compiler) for compiler in compilers for axis in AXES],
                rows=rows(figures.taking_part(DATA), cells),
                command=f"./freehold run --only {DATA}",
            )
        ]
        if compilers
        else [],
    )
