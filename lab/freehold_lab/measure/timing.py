"""Times a workload: one launch of a probe."""

from pathlib import Path

from freehold_lab.measure import probe
from freehold_lab.model import Cell, Identity, Launch, Point, Record


class Times(Record):
    """What `probe time` prints."""

    checksum: str
    points: list[Point]


def launch(executable: Path, cell: Cell, scale: int, round_number: int) -> Launch:
    """Measures `cell` in a process of its own; containers hold `scale` objects."""
    arguments = probe.measuring("time", [cell.workload], cell.state, scale)
    times = probe.ask(Times, executable, *arguments)
    return Launch(round=round_number, cell=cell, checksum=times.checksum, points=times.points)


def identify(executable: Path) -> Identity:
    """Returns which compiler, strategy and library the probe says it was built with."""
    return probe.ask(Identity, executable, "identify")
