"""What a machine's result says to use for each need."""

from typing import NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from freehold_lab import needs
from freehold_lab.machines.rows import family_of
from freehold_lab.model import Cell, Count, Result
from freehold_lab.report.decisions import decide
from freehold_lab.report.figures import Figures

CANDIDATES = {
    workload: {name for need in needs.ALL if need.workload == workload for name in need.candidates}
    for workload in {need.workload for need in needs.ALL}
}
SERIES = {(need.workload, need.series) for need in needs.ALL}


class Pick(NamedTuple):
    """A need that was decided. `compiler` is a family, such as g++. The ratios are of time and of memory, to what the
    pick replaces, if it replaces it."""

    need: str
    compiler: str
    label: str
    ratio: float
    low: float
    high: float
    memory: float | None


def picks(result: Result) -> list[Pick]:
    """Returns the picks of each compiler, in the order of needs."""
    figures = Figures(_needed(result))
    return [
        Pick(
            decision.need.title,
            family_of(compiler.name),
            pick.label,
            pick.ratio,
            pick.low,
            pick.high,
            decision.memory,
        )
        for compiler in result.compilers
        for decision in decide(figures, compiler.name)
        if (pick := decision.pick)
    ]


def _needed(result: Result) -> Result:
    """Leaves out what decides no need: most of a result, whose figures would take most of the time."""
    findings = cast(Struct, result.findings)
    ratios = result.findings.ratios if result.findings else []
    needed = replace(
        cast(Struct, result),
        launches=[
            replace(cast(Struct, each), points=[p for p in each.points if (each.cell.workload, p.series) in SERIES])
            for each in result.launches
            if _is_candidate(each.cell) and not each.cell.control
        ],
        counts=[each for each in result.counts if (each.workload, each.series) in SERIES and _is_candidate(each)],
        findings=replace(
            findings,
            ratios=[each for each in ratios if each.control and (each.workload, each.series) in SERIES],
            lines=[],
        ),
    )
    return cast(Result, needed)


def _is_candidate(record: Cell | Count) -> bool:
    return record.strategy in CANDIDATES.get(record.workload, ())
