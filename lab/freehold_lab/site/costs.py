"""`./freehold docs --costs FILE`: the tables of costs in the pages of the types, filled from a result.

A table stands between <!-- costs: STRATEGY … --> and <!-- /costs -->. Its figures do not depend on the speed of the
machine: bytes, allocations, executed instructions, generated code.
"""

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from freehold_lab import catalogue, checking, folders, store
from freehold_lab.errors import LabError
from freehold_lab.model import State, Strategy
from freehold_lab.report.figures import STATE_NAMES, Figures, Panel, Place
from freehold_lab.report.tables import sizes, text
from freehold_lab.setup import environment
from freehold_lab.statistics import LINE_WORKLOAD

MARK = re.compile(r"^<!-- costs:", re.MULTILINE)
TABLE = re.compile(MARK.pattern + r" ([\w ]+) -->\n(.*?)^<!-- /costs -->$", re.MULTILINE | re.DOTALL)

Value = str | None
Measure = Callable[[Figures, Panel, str], Value]


@dataclass(frozen=True)
class Row:
    label: str
    workload: str
    measure: Measure
    families: tuple[str, ...] = ("pointers", "cyclic", "memory")


def fill(file: Path) -> Iterator[str]:
    """Fills the tables of all pages, and yields what it did, a line each. A table stays as it is if the result has not
    all its strategies. Raises LabError if the file is no result, or if a page has a table of an unknown strategy."""
    figures = Figures(store.load(file))
    absent: list[str] = []
    for path in checking.files(".md"):
        page = folders.ROOT / path
        before = page.read_text()
        if len(MARK.findall(before)) != len(TABLE.findall(before)):
            raise LabError(f"{path}: a table of costs is <!-- costs: STRATEGY … -->, its lines, <!-- /costs -->")
        after = before
        for found in TABLE.finditer(before):
            names = _named(found[1].split(), path)
            strategies = [strategy for name in names for strategy in figures.strategies if strategy.name == name]
            if len(strategies) == len(names) and (table := _table(figures, strategies)):
                after = after.replace(found[0], f"<!-- costs: {found[1]} -->\n\n{table}\n<!-- /costs -->")
            else:
                absent += names
        if after != before:
            page.write_text(after)
            yield f"{path}: filled from {file}"
    if absent:
        yield f"left as they were, because the result lacks them: {' '.join(absent)}"


def _named(names: list[str], page: Path) -> list[str]:
    known = {entry.name for entry in catalogue.read()}
    for name in names:
        if name not in known:
            raise LabError(f"{page}: there is no strategy {name}, which a table of costs names")
    return names


def _table(figures: Figures, strategies: list[Strategy]) -> str:
    """Returns the table with the lines below it, or nothing if one of the strategies was not measured."""
    columns: list[list[str]] = []
    for strategy in strategies:
        states = [[_cell(figures, row, state, strategy) for row in ROWS] for state in State]
        if not any(states[0]):
            return ""
        label = strategy.label if len(strategies) > 1 else ""
        if states[0] == states[1]:
            columns.append([label, *states[0]])
            continue
        titles = [f"{label}: {name}".removeprefix(": ") for name in STATE_NAMES.values()]
        same = ["same" if one and one == two else two for one, two in zip(*states, strict=True)]
        columns += [[titles[0], *states[0]], [titles[1], *same]]
    head, *cells = zip(*columns, strict=True)
    found = {row: line for row, line in zip(ROWS, cells, strict=True) if any(line)}
    table = [["", *head], ["---", *["---:"] * len(columns)]]
    table += [[row.label, *(cell or "–" for cell in line)] for row, line in found.items()]
    lines = [f"| {' | '.join(line)} |".replace("  ", " ") for line in table]
    return "\n".join([*lines, "", _origin(figures, strategies, list(found))]) + "\n"


def _cell(figures: Figures, row: Row, state: State, strategy: Strategy) -> str:
    """Returns the figure of all compilers, or that of each where they differ; nothing if there is none."""
    if strategy.family not in row.families:
        return ""
    found = {
        environment.family(compiler): value
        for compiler in figures.result.compilers
        if (value := row.measure(figures, Panel(compiler.name, state), strategy.name)) is not None
    }
    if len(set(found.values())) < 2:
        return next(iter(found.values()), "")
    return ", ".join(f"{family}\N{NO-BREAK SPACE}{value}" for family, value in found.items())


def _origin(figures: Figures, strategies: list[Strategy], rows: list[Row]) -> str:
    workloads = list(dict.fromkeys(row.workload for row in rows))
    compilers = " and ".join(f"{environment.family(each)} {each.version}" for each in figures.result.compilers)
    legend = f"{sizes.LEGEND} " if "code-size" in workloads else ""
    about = f"Compiled by {compilers} with {figures.result.compilers[0].flags}. {legend}The table is filled in by"
    only = [f"--only {name}" for name in workloads] + [f"--strategy {strategy.name}" for strategy in strategies]
    commands = [f"    ./freehold run {' '.join(only)}", "    ./freehold docs --costs results/latest.json"]
    return "\n".join([textwrap.fill(about, 120, break_on_hyphens=False), "", *commands])


def _number(value: float | None) -> Value:
    return None if value is None else text.count(round(value) if value >= 100 else value).text


def _data(axis: str) -> Measure:
    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        found = figures.data.get((panel.compiler, strategy))
        return _number(getattr(found, axis, None))

    return measure


def _line(part: str, axis: str) -> Measure:
    """Of the line through the counts of sets of handles: what one costs, and what each further one does."""

    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        found = figures.count_line(panel, strategy)
        return _number(getattr(getattr(found, part), axis)) if found else None

    return measure


def _count(workload: str, series: str, axis: str) -> Measure:
    """Of the smallest size that was counted, for one of what it is a number of."""

    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        found = figures.counted_for_one(Place(workload, panel, series, 0), strategy)
        return _number(getattr(found, axis)) if found else None

    return measure


def _sole(axis: str) -> Measure:
    """For handles that cannot be copied."""

    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        can_copy = figures.count_line(panel, strategy) is not None
        return None if can_copy else _count("instantiation", "make and release", axis)(figures, panel, strategy)

    return measure


def _peak(workload: str, series: str) -> Measure:
    """Of the largest size: the least part of it is what any process takes."""

    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        peaks = [
            (x, peaks[strategy].peak)
            for (name, compiler, at, x), peaks in figures.peaks.items()
            if (name, compiler, at) == (workload, panel.compiler, series) and strategy in peaks
        ]
        return f"{max(peaks)[1] / max(peaks)[0]:.0f}" if peaks else None

    return measure


def _code(operation: str) -> Measure:
    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        found = figures.code.get((panel.compiler, strategy, operation))
        cell = sizes.code(found)
        return f"{cell.text} {cell.detail}".strip() if found else None

    return measure


def _counted(label: str, workload: str, measures: Callable[[str], Measure], *families: str) -> list[Row]:
    return [
        Row(f"{label}: {name}", workload, measures(axis), families or Row.families)
        for axis, name in (("instructions", "instructions"), ("locked", "locked operations"))
    ]


def _series(label: str, workload: str, series: str, *families: str) -> list[Row]:
    return _counted(label, workload, lambda axis: _count(workload, series, axis), *families)


ROWS = [
    Row("handle, bytes", "data-size", _data("handle")),
    Row("weak handle, bytes", "data-size", _data("weak")),
    Row("memory beyond a plain `new`, bytes", "data-size", _data("control")),
    Row("allocations for an object", "data-size", _data("allocations")),
    *_counted("make and release", LINE_WORKLOAD, lambda axis: _line("initialisation", axis)),
    *_counted("make and release", "instantiation", _sole),
    *_counted("copy and release the copy", LINE_WORKLOAD, lambda axis: _line("copy", axis)),
    *_series("lock a weak pointer, release the owner", "observers", "alive"),
    Row("machine code: an empty handle", "code-size", _code("ptr()")),
    Row("machine code: an object made or adopted", "code-size", _code("ptr(p)")),
    Row("machine code: a copy", "code-size", _code("ptr(ptr)")),
    Row("machine code: an assignment", "code-size", _code("op=")),
    Row("machine code: the destructor", "code-size", _code("~ptr()")),
    *_series("a step around a ring of nodes", "rings", "cursor", "cyclic", "traced"),
    *_series("make and drop a node, in rings of ten", "rings", "churn, few live", "cyclic", "traced"),
    *_series("make and drop a node, beside a live tree", "live-tree", "allocate", "cyclic", "traced"),
    *_series("allocate and free a block", "pair", "32 bytes"),
    *_series("the same, 1,000 at a time", "batch", "32 bytes"),
    *_series("a node of a list, from a new resource", "list", "fresh"),
    *_series("the same, from one that served earlier lists", "list", "kept"),
    Row("peak memory, bytes for a node of 24", "list", _peak("list", "fresh")),
]
