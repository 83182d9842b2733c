"""A result as rows of one table: what merged.parquet holds, one for each machine, point and strategy."""

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from freehold_lab.model import Result

Key = tuple[str, str, int, str, str, str]  # a point and a strategy, as KEY names the columns
KEY = ("workload", "series", "x", "compiler", "state", "strategy")

# The columns of merged.parquet, and their types in DuckDB. Peaks have no thread state: each state has the same.
COLUMNS = {
    "machine": "VARCHAR",
    "processor": "VARCHAR",
    "cores": "BIGINT",
    "freehold": "VARCHAR",
    "started": "VARCHAR",
    **{name: "BIGINT" if name == "x" else "VARCHAR" for name in KEY},
    "median_ns": "DOUBLE",
    "reference": "VARCHAR",
    "ratio": "DOUBLE",
    "low": "DOUBLE",
    "high": "DOUBLE",
    "tie": "BOOLEAN",
    "instructions": "DOUBLE",
    "locked": "DOUBLE",
    "peak_bytes": "BIGINT",
    "left_bytes": "BIGINT",
}


Row = tuple[str | int | float | bool | None, ...]


def family_of(compiler: str) -> str:
    """g++ of g++-12: versions differ between machines."""
    return compiler.rstrip("0123456789.").rstrip("-")


def rows(result: Result, machine: str) -> Iterator[Row]:
    """Yields what `result` has, in the order of COLUMNS. It needs its findings."""
    times = times_of(result)
    ratios, counts, peaks = _ratios(result), counts_of(result), _peaks(result)
    there = result.machine
    whose = (machine, there.processor, there.cores, result.freehold, result.started)
    for key in dict.fromkeys((*times, *ratios, *counts)):
        time = median(times[key]) if key in times else None
        workload, series, x, compiler, _, strategy = key
        peak = peaks.get((workload, series, x, compiler, strategy), (None, None))
        yield (*whose, *key, time, *ratios.get(key, (None,) * 5), *counts.get(key, (None, None)), *peak)


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


def _ratios(result: Result) -> dict[Key, tuple[str | None, float, float, float, bool]]:
    if result.findings is None:
        return {}
    references = result.findings.references
    return {
        (r.workload, r.series, r.x, r.compiler, r.state, r.strategy): (
            *(references.get(r.workload), r.ratio, r.low, r.high, r.tie),
        )
        for r in result.findings.ratios
        if not r.control
    }


def counts_of(result: Result) -> dict[Key, tuple[float, float | None]]:
    return {
        (c.workload, c.series, c.x, c.compiler, c.state, c.strategy): (c.instructions, c.locked) for c in result.counts
    }


def _peaks(result: Result) -> dict[tuple[str, str, int, str, str], tuple[int, int]]:
    return {(p.workload, p.series, p.x, p.compiler, p.strategy): (p.peak, p.left) for p in result.peaks}
