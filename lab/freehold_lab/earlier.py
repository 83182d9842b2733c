"""Results of version 0.1 in the terms of today, where the x of a point was a number of something else."""

from typing import TypeVar

from freehold_lab.model import Count, Peak, Point, Ratio, Result
from freehold_lab.workloads import ALL

Found = TypeVar("Found", Count, Peak, Point, Ratio)

# 1,000 of 20,000 live blocks were replaced; two threads did something once. What x was, and what it is.
CHANGED = {"churn": (1000, 20_000), "producer-consumer": (1, 2), "larson": (1, 2)}
AMOUNTS = ("nanoseconds", "instructions", "locked")


def upgrade(result: Result) -> Result:
    """Returns `result` with the points that version 0.1 measured as they would be measured today."""
    if not result.freehold.startswith("0.1."):
        return result
    findings = result.findings and result.findings.model_copy(
        update={"ratios": [_changed(each.workload, each) for each in result.findings.ratios]}
    )
    return result.model_copy(
        update={
            "launches": [
                each.model_copy(update={"points": [_changed(each.cell.workload, point) for point in each.points]})
                for each in result.launches
            ],
            "counts": [_changed(each.workload, each) for each in result.counts],
            "peaks": [_changed(each.workload, each) for each in result.peaks],
            "findings": findings,
        }
    )


def _changed(workload: str, record: Found) -> Found:
    was, now = CHANGED.get(workload, (None, record.x))
    if record.x != was:
        return record
    more = ALL[workload].done_at(now) / ALL[workload].done_at(was)
    amounts = {name: amount * more for name in AMOUNTS if (amount := getattr(record, name, None)) is not None}
    return record.model_copy(update={"x": now, **amounts})
