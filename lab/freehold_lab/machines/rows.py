"""A result as rows of one table: what merged.parquet holds, one for each machine, point and strategy."""

import math
from collections import defaultdict

from freehold_lab.model import Result
from freehold_lab.statistics import mean_of_steps

Key = tuple[str, str, int, str, str, str]  # a point and a strategy, as KEY names the columns
KEY = ("workload", "series", "x", "compiler", "state", "strategy")
Point = tuple[str, str, int, str, str, str, str]  # with the strategy that ratios are to
POINT = (*KEY, "reference")
# The columns of figures, and their types in DuckDB. Peaks have no thread state: each state has the same.
FIGURES = {
    "median_ns": "DOUBLE",
    "ratio": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "tie": "BOOLEAN",
    "instructions": "DOUBLE",
    "locked": "DOUBLE",
    "peak_bytes": "BIGINT",
    "left_bytes": "BIGINT",
    "resident_bytes": "BIGINT",
    "idle_bytes": "BIGINT",
}


def family_of(compiler: str) -> str:
    """g++ of g++-12: versions differ between machines."""
    return compiler.rstrip("0123456789.").rstrip("-")


def rows(result: Result) -> dict[Point, list[float]]:
    """Returns the FIGURES of each point of `result`, which has findings; where there is none, not a number."""
    blank = [math.nan] * len(FIGURES)
    found: defaultdict[Key, list[float]] = defaultdict(blank.copy)
    for key, times in times_of(result).items():
        times.sort()
        found[key][0] = (times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2
    for r in result.findings.ratios if result.findings else []:
        if not r.control:
            found[r.workload, r.series, r.x, r.compiler, r.state, r.strategy][1:5] = r.ratio, r.low, r.high, r.tie
    for key, (instructions, locked) in counts_of(result).items():
        found[key][5:7] = instructions, math.nan if locked is None else locked
    peaks = {(p.workload, p.series, p.x, p.compiler, p.strategy): p for p in result.peaks}
    for key, row in found.items():
        if p := peaks.get((*key[:4], key[5])):
            row[7:11] = [math.nan if size is None else size for size in (p.peak, p.left, p.resident, p.idle)]
    references = result.findings.references if result.findings else {}
    return {(*key, references.get(key[0], "")): row for key, row in found.items()}


def times_of(result: Result) -> dict[Key, list[float]]:
    """Returns the times of all launches. One that is not positive is a clock that did not tick: left out."""
    found: defaultdict[Key, list[float]] = defaultdict(list)
    for launch in result.launches:
        cell = launch.cell
        if cell.control:
            continue
        workload, compiler, state, strategy = cell.workload, cell.compiler, cell.state, cell.strategy
        for point in launch.points:
            if point.nanoseconds > 0:
                found[workload, point.series, point.x, compiler, state, strategy].append(point.nanoseconds)
    return found


def counts_of(result: Result) -> dict[Key, tuple[float, float | None]]:
    return {
        (c.workload, c.series, c.x, c.compiler, c.state, c.strategy): (c.instructions, c.locked) for c in result.counts
    }


def memory_of(result: Result) -> dict[Key, float]:
    """Returns the mean of the resident bytes of each timeline. There is no x, nor a state."""
    return {
        (each.workload, each.series, 0, each.compiler, "", each.strategy): mean_of_steps(each.moments, "resident")
        for each in result.timelines
    }
