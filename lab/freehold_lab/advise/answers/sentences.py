"""What is said of a program in whole sentences, in a terminal and on a page."""

from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.changes.advice import LEAST_FREED, LEAST_SAVED
from freehold_lab.heap.page import size

FEW = 100  # samples of a site, of which the error is a tenth: docs/guide/advise.md


def about(report: Report) -> list[str]:
    """Returns lines about all allocations of the process."""
    found, processes = report.summary, report.recording.processes
    lines = [
        f"{found.allocations + found.reallocations:,} allocations of {size(found.bytes)} in {_threads(found.threads)}",
        f"at most {size(found.most_bytes)} at a time, in {found.most_blocks:,} blocks at most; "
        f"{size(found.left_bytes)} left at the end",
    ]
    others = sum(1 for each in processes if each.event_bytes) - 1
    if others > 0:
        lines.append(f"This is process {processes[report.process].pid}, which allocates most, of {others + 1:,}.")
    return lines


def verdict(report: Report) -> str:
    assert report.bound is not None
    reasons = report.bound.reasons
    if not reasons:
        return f"Change nothing: all allocation is {report.bound.told}, and nothing else is open."
    return f"What could change: {'; '.join(reasons)}."


def without_advice(report: Report) -> str:
    """Returns what is said where something could change, and no change is advised."""
    if report.advice or report.bound is None or not report.bound.reasons:
        return ""
    if not report.predictions:
        return "No change is advised, as nothing is predicted."
    return (
        f"No change is advised: none is predicted to save {LEAST_SAVED:.0%} of the instructions, and no allocator "
        f"{LEAST_FREED:.0%} of the memory."
    )


def rough(report: Report, most: int) -> str:
    """Returns how many of the first sites are estimates from few samples, or nothing."""
    shown = report.sites[:most]
    few = sum(1 for each in shown if each.recorded < FEW)
    if not report.recording.sampled or not few:
        return ""
    return (
        f"{few:,} of these {len(shown):,} sites have fewer than {FEW} samples: their figures are typically off by more "
        "than 10%."
    )


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count:,} threads"
