"""`./freehold docs --costs FILE`: the tables of costs in the pages of the types, filled from a result.

A table stands between <!-- costs: STRATEGY … --> and <!-- /costs -->. Its figures do not depend on the speed of the
machine: bytes, allocations, executed instructions, generated code.
"""

import html
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from freehold_lab import catalogue, checking, folders, store
from freehold_lab.errors import LabError
from freehold_lab.model import State, Strategy
from freehold_lab.report.figures import Executed, Figures, Panel, Place
from freehold_lab.report.tables import sizes, text
from freehold_lab.setup import environment
from freehold_lab.statistics import LINE_WORKLOAD

MARK = re.compile(r"^<!-- costs:", re.MULTILINE)
TABLE = re.compile(MARK.pattern + r" ([\w ]+) -->\n(.*?)^<!-- /costs -->$", re.MULTILINE | re.DOTALL)
STATES = {State.ALONE: "one thread", State.THREADED: "with threads"}
APART = " / "  # between the figures of two compilers
MOST_COLUMNS = 4  # of strategies; where there are more, each has a line

Value = str | None
Measure = Callable[[Figures, Panel, str], Value]


@dataclass(frozen=True)
class Row:
    label: str
    workload: str
    measure: Measure
    families: tuple[str, ...] = ("pointers", "cyclic", "memory", "allocators")


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
    """Returns the table with what is folded below it, or nothing if one of the strategies was not measured."""
    measured = [
        any(_value(figures, row, state, strategy) for row in ROWS for state in State) for strategy in strategies
    ]
    if not all(measured):
        return ""
    lines = [line for row in ROWS for line in _lines(figures, row, strategies)]
    code = [[row.label, *_code_cells(figures, row, strategies)] for row in CODE]
    drawn = [["", *(html.escape(strategy.label) for strategy in strategies if len(strategies) > 1)], *lines]
    if len(strategies) > MOST_COLUMNS:
        drawn = [list(line) for line in zip(*drawn, strict=True)]
    parts = [_drawn(drawn[0], drawn[1:])]
    compilers = [environment.family(each) for each in figures.result.compilers]
    if any(APART in cell for line in lines for cell in line[1:]):
        parts.append(f"Two figures are those of {APART.join(compilers)}.")
    columns = [f"{html.escape(strategy.label)}, {name}" for strategy in strategies for name in compilers]
    head = ["", *(columns if len(strategies) > 1 else compilers)]
    parts += _folded(figures, strategies, _drawn(head, [line for line in code if any(line[1:])]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _drawn(head: list[str], lines: list[list[str]]) -> str:
    """Returns a table, or nothing if it has no lines."""
    if not lines:
        return ""
    width = len(lines[0])
    drawn = [[*head, *[""] * (width - len(head))], ["---", *["---:"] * (width - 1)]]
    drawn += [[cell or "–" for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |".replace("  ", " ") for line in drawn)


def _lines(figures: Figures, row: Row, strategies: list[Strategy]) -> list[list[str]]:
    """Returns the line of a row, or a line for each state of the process if they differ."""
    states = {state: [_value(figures, row, state, strategy) for strategy in strategies] for state in State}
    if not any(map(any, states.values())):
        return []
    if len({tuple(values) for values in states.values()}) == 1:
        return [[row.label, *states[State.ALONE]]]
    if len(strategies) > MOST_COLUMNS:
        alone, threaded = states[State.ALONE], states[State.THREADED]
        later = [f"; {STATES[State.THREADED]} {value}" for value in threaded]
        cells = [one + (rest if one != other else "") for one, other, rest in zip(alone, threaded, later, strict=True)]
        return [[row.label, *cells]]
    return [[f"{row.label}, {STATES[state]}", *values] for state, values in states.items()]


def _value(figures: Figures, row: Row, state: State, strategy: Strategy) -> str:
    """Returns the figure of all compilers, or those of each if they differ; nothing if there are none."""
    found = _by_compiler(figures, row, state, strategy)
    if len(set(found)) == 1 or not any(found):
        return found[0]
    first, rest = zip(*(value.partition(",")[::2] for value in found), strict=True)
    is_alike = len(set(rest)) == 1
    return f"{APART.join(first)},{rest[0]}" if is_alike and rest[0] else APART.join(value or "–" for value in found)


def _by_compiler(figures: Figures, row: Row, state: State, strategy: Strategy) -> list[str]:
    measured = row.measure if strategy.family in row.families else lambda *_: None
    panels = [Panel(compiler.name, state) for compiler in figures.result.compilers]
    return [measured(figures, panel, strategy.name) or "" for panel in panels]


def _code_cells(figures: Figures, row: Row, strategies: list[Strategy]) -> list[str]:
    """Returns what each compiler made: the same for all states."""
    return [cell for strategy in strategies for cell in _by_compiler(figures, row, State.ALONE, strategy)]


def _folded(figures: Figures, strategies: list[Strategy], code: str) -> Iterator[str]:
    """Yields what few readers want to see: the generated code, and where all figures come from."""
    used = [row for row in ROWS if _lines(figures, row, strategies)] + CODE * bool(code)
    compilers = " and ".join(f"{environment.family(each)} {each.version}" for each in figures.result.compilers)
    only = [f"--only {name}" for name in dict.fromkeys(row.workload for row in used)]
    only += [f"--strategy {strategy.name}" for strategy in strategies]
    summary = f"{'Machine code, and how' if code else 'How'} these figures are measured"
    yield f"<details markdown>\n<summary>{summary}</summary>"
    if code:
        yield textwrap.fill(sizes.LEGEND, 120, break_on_hyphens=False)
        yield code
    flags = figures.result.compilers[0].flags
    yield html.escape(f"Compiled by {compilers} with {flags}.", quote=False) + " The figures are filled in by"
    yield f"    ./freehold run {' '.join(only)}\n    ./freehold docs --costs results/latest.json"
    yield "</details>"


def _number(value: float | None) -> Value:
    return None if value is None else text.count(round(value) if value >= 100 else value).text


def _data(axis: str) -> Measure:
    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        found = figures.data.get((panel.compiler, strategy))
        return _number(getattr(found, axis, None))

    return measure


def _executed(found: Executed | None) -> Value:
    """Returns the instructions, and how many of them are locked if any is."""
    if found is None:
        return None
    locked = _number(found.locked)
    return f"{_number(found.instructions)}" + (f", {locked} locked" if locked not in (None, "0") else "")


def _line(part: str) -> Measure:
    """Of the line through the counts of sets of handles: what one costs, and what each further one does."""

    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        found = figures.count_line(panel, strategy)
        return _executed(getattr(found, part)) if found else None

    return measure


def _count(workload: str, series: str) -> Measure:
    """Of the smallest size that was counted, for one of what it is a number of."""

    def measure(figures: Figures, panel: Panel, strategy: str) -> Value:
        return _executed(figures.counted_for_one(Place(workload, panel, series, 0), strategy))

    return measure


def _sole(figures: Figures, panel: Panel, strategy: str) -> Value:
    """For handles that cannot be copied."""
    can_copy = figures.count_line(panel, strategy) is not None
    return None if can_copy else _count("instantiation", "make and release")(figures, panel, strategy)


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


MAKE = "instructions to make and release"
COLLECTED = ("cyclic", "traced")

ROWS = [
    Row("handle, bytes", "data-size", _data("handle")),
    Row("weak handle, bytes", "data-size", _data("weak")),
    Row("memory beyond a plain `new`, bytes", "data-size", _data("control")),
    Row("allocations for an object", "data-size", _data("allocations")),
    Row(MAKE, LINE_WORKLOAD, _line("initialisation")),
    Row(MAKE, "instantiation", _sole),
    Row("instructions to copy and release the copy", LINE_WORKLOAD, _line("copy")),
    Row("instructions to lock a weak pointer and release the owner", "observers", _count("observers", "alive")),
    Row("instructions for a step around a ring of nodes", "rings", _count("rings", "cursor"), COLLECTED),
    Row(
        "instructions to make and drop a node, in rings of ten", "rings", _count("rings", "churn, few live"), COLLECTED
    ),
    Row("the same, beside a live tree", "live-tree", _count("live-tree", "allocate"), COLLECTED),
    Row("instructions to allocate and free a block", "pair", _count("pair", "32 bytes")),
    Row("the same, 1,000 at a time", "batch", _count("batch", "32 bytes")),
    Row("instructions for a node of a list, from a new resource", "list", _count("list", "fresh")),
    Row("the same, from one that served earlier lists", "list", _count("list", "kept")),
    Row("peak memory, bytes for a node of 24", "list", _peak("list", "fresh")),
]
CODE = [
    Row("an empty handle", "code-size", _code("ptr()")),
    Row("an object made or adopted", "code-size", _code("ptr(p)")),
    Row("a copy", "code-size", _code("ptr(ptr)")),
    Row("an assignment", "code-size", _code("op=")),
    Row("the destructor", "code-size", _code("~ptr()")),
]
