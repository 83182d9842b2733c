"""Results of version 0.1 in the terms of today, where the x of a point was a number of something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from freehold_lab.workloads import ALL

if TYPE_CHECKING:
    from freehold_lab.model import Count, Peak, Point, Ratio, Result

    Found = TypeVar("Found", Count, Peak, Point, Ratio)

# 1,000 of 20,000 live blocks were replaced; two threads did something once. What x was, and what it is.
CHANGED = {"churn": (1000, 20_000), "producer-consumer": (1, 2), "larson": (1, 2)}
AMOUNTS = ("nanoseconds", "instructions", "locked")


def upgrade(result: Result) -> None:
    """Changes the points of `result` that version 0.1 measured. Today, these workloads have more than that one x."""
    measured: dict[str, set[int]] = {}
    for launch in result.launches:
        measured.setdefault(launch.cell.workload, set()).update(point.x for point in launch.points)
    old = [workload for workload, (was, _) in CHANGED.items() if measured.get(workload) == {was}]
    if not old:
        return

    def changed(workload: str, records: list[Found]) -> list[Found]:
        return [_changed(workload, each) for each in records] if workload in old else records

    result.launches = [
        each.model_copy(update={"points": changed(each.cell.workload, each.points)}) for each in result.launches
    ]
    result.counts = [each for count in result.counts for each in changed(count.workload, [count])]
    result.peaks = [each for peak in result.peaks for each in changed(peak.workload, [peak])]
    if result.findings:
        ratios = [each for ratio in result.findings.ratios for each in changed(ratio.workload, [ratio])]
        result.findings = result.findings.model_copy(update={"ratios": ratios})


def _changed(workload: str, record: Found) -> Found:
    was, now = CHANGED[workload]
    more = ALL[workload].done_at(now) / ALL[workload].done_at(was)
    amounts = {name: amount * more for name in AMOUNTS if (amount := getattr(record, name, None)) is not None}
    return record.model_copy(update={"x": now, **amounts})
