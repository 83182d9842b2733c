"""`./freehold compare`: what differs between results, in the terminal, and whether a figure became worse."""

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from freehold_lab.errors import LabError, say
from freehold_lab.machines import inputs
from freehold_lab.machines.changes import Axis, Change, changes, gone, matching
from freehold_lab.machines.rows import Key
from freehold_lab.machines.trend import Trend, trends
from freehold_lab.model import Result, State
from freehold_lab.report.tables.text import BYTES_PER_MEBIBYTE, significant, times
from freehold_lab.statistics import FEWEST_ROUNDS

MOST_LINES = 30  # of changes; with what is around them 40
MOST_LETTERS = 110  # of a line
ORDER = (Axis.LOCKED, Axis.INSTRUCTIONS, Axis.MEMORY, Axis.TIME)


class Judged(StrEnum):
    """Which figures decide the exit code."""

    ANY = "any"
    COUNTS = "counts"
    TIMES = "times"

    def includes(self, axis: Axis) -> bool:
        of_one = {Judged.TIMES: (Axis.TIME,), Judged.COUNTS: (Axis.LOCKED, Axis.INSTRUCTIONS)}
        return axis in of_one.get(self, Axis)


@dataclass(frozen=True)
class Line:
    """What is told of one figure."""

    axis: Axis
    key: Key
    size: float
    text: str


def compare(arguments: list[str], compilers: str, threshold: float, judged: Judged, show_all: bool) -> int:
    """Compares the results in the files called `arguments`, and returns the exit code: 1 if a figure that is `judged`
    became worse. Times do by more than `threshold`, counts by anything."""
    paths = [path for argument in arguments for path in inputs.find([argument])]  # one file may stand twice
    if len(paths) < 2:
        raise LabError("compare takes two results, or more in the order of time")
    results = [inputs.read(path) for path in paths]
    console = Console(highlight=False, soft_wrap=True)
    if any(result.machine != results[0].machine for result in results):
        say("the machines differ: a change may be theirs")
    limits = {axis: threshold if axis is Axis.TIME else 0.0 for axis in Axis}
    most = math.inf if show_all else MOST_LINES
    if len(results) > 2:
        if compilers:
            raise LabError("--compiler is for two results")
        return _compare_many(paths, results, limits, judged, most, console)
    return _compare_two(results[0], results[1], compilers, limits, judged, most, console)


def _compare_two(
    before: Result,
    after: Result,
    compilers: str,
    limits: dict[Axis, float],
    judged: Judged,
    most: float,
    console: Console,
) -> int:
    matched = matching(before, after, compilers)
    found = changes(before, after, matched)
    for when, result in (("before", before), ("after", after)):
        _dim(f"{when:7} {_described(result)}", console)
    if others := [f"{one} with {other}" for one, other in matched.items() if one != other]:
        _dim(f"compared: {', '.join(others)}", console)

    worse = [change for change in found if change.is_worse(limits[change.axis])]
    better = [change for change in found if change.is_better(limits[change.axis])]
    labels = _labels([before, after])
    for title, group in (("Worse", worse), ("Better", better)):
        _show(title, [Line(each.axis, each.key, each.size, _change(each)) for each in group], labels, most / 2, console)
    unknown = sum(math.isinf(change.high) and change.axis is Axis.TIME for change in found)
    alike = len(found) - len(worse) - len(better) - unknown
    console.print(f"{len(worse)} figures are worse, {len(better)} better, and {alike} equal or within noise.")
    if unknown:
        console.print(f"{unknown} times with fewer than {FEWEST_ROUNDS} launches have no interval: not compared.")
    if lost := gone(before, after, matched):
        names = sorted({labels.get(strategy, strategy) for *_, strategy in lost})
        console.print(
            inputs.plain(f"{len(lost)} points are in the first result only: {', '.join(names)}", MOST_LETTERS)
        )
    return int(any(judged.includes(change.axis) for change in worse))


def _compare_many(
    paths: list[Path],
    results: list[Result],
    limits: dict[Axis, float],
    judged: Judged,
    most: float,
    console: Console,
) -> int:
    found = trends(results, limits[Axis.TIME])
    worse = [trend for trend in found if trend.is_worse(limits[trend.axis])]
    others = [trend for trend in found if trend not in worse]
    labels, names = _labels(results), _short(paths)
    for title, group in (("Worse at the end", worse), ("Others that changed", others)):
        _show(
            title,
            [Line(each.axis, each.key, each.size, _steps(each, names)) for each in group],
            labels,
            most / 2,
            console,
        )
    console.print(f"{len(results)} results: {len(found)} figures change, and {len(worse)} are worse at the end.")
    return int(any(judged.includes(trend.axis) for trend in worse))


def _show(title: str, found: list[Line], labels: dict[str, str], most: float, console: Console) -> None:
    """Prints a line for each series of a strategy: its largest change. Counts come first, for they are exact."""

    def series(line: Line) -> tuple[int, str, str, str, str]:
        workload, series, _, compiler, _, strategy = line.key
        return (ORDER.index(line.axis), workload, series, compiler, strategy)

    groups = [list(group) for _, group in groupby(sorted(found, key=series), key=series)]
    groups.sort(key=lambda group: (ORDER.index(group[0].axis), -max(line.size for line in group)))
    if not groups:
        return
    console.print(Text(title, style="bold"))
    shown = groups if len(groups) <= most else groups[: int(most) - 1]
    for group in shown:
        largest = max(group, key=lambda line: line.size)
        console.print(Text(f"  {_where(largest, len(group) - 1, labels)}: {largest.text}"))
    if len(shown) < len(groups):
        _dim(f"  … and {len(groups) - len(shown)} more: --all shows them", console)


def _where(line: Line, others: int, labels: dict[str, str]) -> str:
    workload, series, x, compiler, state, strategy = line.key
    more = f" (and {others} more)" if others else ""
    thread = ", threads" if state == State.THREADED else ""
    point = f"{series} {x}" if x else series
    place = f"{line.axis}, {labels.get(strategy, strategy)}, {workload}, {point}, {compiler}{thread}"
    return inputs.plain(place, MOST_LETTERS) + more


def _change(change: Change) -> str:
    if change.axis is Axis.MEMORY:
        before, after = (f"{significant(size / BYTES_PER_MEBIBYTE)} MiB" for size in (change.before, change.after))
        return f"{_factor(change.after, change.before)}, {before} → {after}"
    figures = f"{significant(change.before)} → {significant(change.after)}"
    if change.axis is not Axis.TIME:
        return f"{_factor(change.after, change.before)}, {figures}"
    return f"{_factor(change.after, change.before)} ({times(change.low)}–{times(change.high)}), {figures} ns"


def _steps(trend: Trend, names: list[str]) -> str:
    return ", ".join(f"{_factor(step.after, step.before)} at {names[step.at]}" for step in trend.steps)


def _factor(after: float, before: float) -> str:
    return f"×{times(after / before)}" if before else "from none"


def _described(result: Result) -> str:
    compilers = ", ".join(each.name for each in result.compilers)
    started = result.started[:16].replace("T", " ")
    rounds = len({launch.round for launch in result.launches})
    text = f"{started}, Freehold {result.freehold}, {result.machine.processor}, {compilers}, {rounds} rounds"
    return inputs.plain(text, MOST_LETTERS)


def _labels(results: list[Result]) -> dict[str, str]:
    return {strategy.name: strategy.label for result in results for strategy in result.strategies}


def _short(paths: list[Path]) -> list[str]:
    """The names of files; with their folders where two are the same."""
    names = [path.name for path in paths]
    return [inputs.plain(str(path) if names.count(path.name) > 1 else path.name) for path in paths]


def _dim(text: str, console: Console) -> None:
    console.print(Text(text, style="dim"))
