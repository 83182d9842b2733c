"""What it costs in machine code to have a list on the heap instead of on the stack."""

from freehold_lab import model
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Section, Table, rows
from freehold_lab.workloads import ALL, HEAP_OR_STACK


def sections(figures: Figures) -> list[Section]:
    """The section, if it was measured."""
    compilers = [name for name in figures.compilers if any(each.compiler == name for each in figures.result.listings)]
    section = Section(
        workload=HEAP_OR_STACK,
        title=ALL[HEAP_OR_STACK].title,
        legend=_legend(figures),
        tables=[_table(figures, name) for name in compilers],
    )
    return [section] if compilers else []


def _legend(figures: Figures) -> list[str]:
    legend = [
        "A function makes a list, calls an opaque function that fills it, and destroys it. The list object is a local "
        "variable, on the stack; or its memory comes from the resource of its nodes and is freed by hand (a leak if "
        "filling throws), by hand and in a catch, or by a unique_ptr. Bytes are those of the function's code, hot + "
        "cold; the cold part is what the compiler moved away."
    ]
    nodes = " or ".join(dict.fromkeys(str(call.nodes) for call in figures.result.calls))
    if nodes:
        legend.append(
            f"Instructions are those of one call with {nodes} nodes: exclusive in the function's own code, with what "
            "was inlined into it; inclusive with all that it calls. The difference of the inclusive instructions to "
            "those on the stack is what the heap costs."
        )
    return legend


def _table(figures: Figures, compiler: str) -> Table:
    code = {(each.strategy, each.function): each for each in figures.result.listings if each.compiler == compiler}
    functions = list(dict.fromkeys(function for _, function in code))
    calls = {(each.strategy, each.function): each for each in figures.result.calls if each.compiler == compiler}

    def cells(strategy: str) -> list[Cell]:
        return [
            cell
            for function in functions
            for cell in _cells(code.get((strategy, function)), calls.get((strategy, function)))
        ]

    return Table(
        subject="Heap or stack",
        compiler=compiler,
        columns=[Column(title, function) for function in functions for title in ("bytes", "exclusive", "inclusive")],
        rows=rows([each for each in figures.taking_part(HEAP_OR_STACK) if each.is_built_with(compiler)], cells),
        command=f"./freehold run --only {HEAP_OR_STACK} --compiler {compiler}",
    )


def _cells(code: model.Listing | None, call: model.Call | None) -> list[Cell]:
    cold = f"+ {code.cold.bytes}" if code and code.cold.bytes else ""
    return [
        Cell(str(code.hot.bytes), cold, value=code.hot.bytes) if code else NOTHING,
        text.count(call.exclusive if call else None),
        text.count(call.inclusive if call else None),
    ]
