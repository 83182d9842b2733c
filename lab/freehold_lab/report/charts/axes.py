"""What the x of a workload is, in words, and what its times are for."""

from freehold_lab.report.figures import Figures
from freehold_lab.workloads import ALL


def axis(workload: str) -> str:
    """The name of the axis of sizes."""
    subject = ALL[workload]
    return subject.x or subject.size.replace("{:,}", "").replace("{}", "").replace("=", "").strip() or "size"


def size(workload: str, x: int) -> str:
    """A size as it is written beside its figures."""
    subject = ALL[workload]
    return subject.at(x) if subject.x else (subject.size or "{:,}").format(x)


def sizes(figures: Figures, workload: str) -> dict[str, str]:
    """The sizes of a workload in words: none where it has one only, which has no name."""
    subject = ALL[workload]
    found = {place.x for place, _ in (*figures.times, *figures.counts) if place.workload == workload}
    named = subject.x or subject.size or len(found) > 1
    return {str(x): size(workload, x) if named else "" for x in sorted(found)}


def unit(workload: str) -> dict[str, object]:
    """What is made of nanoseconds for a chart: the words for it, and whether to divide by x."""
    subject = ALL[workload]
    if subject.kind == "program" or workload == "containers":
        return {"words": "milliseconds", "measured": "time", "factor": 1e-6, "divided": False}
    measured = {"size": "bytes", "listing": "instructions"}.get(subject.kind, "time")
    divided = bool(subject.per) and subject.done_at(2) == 2
    return {
        "words": f"nanoseconds for one {subject.per or 'set'}",
        "measured": measured,
        "factor": 1,
        "divided": divided,
    }
