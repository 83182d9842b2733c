"""Measures the memory that a workload takes, and what a garbage collector does meanwhile."""

from pathlib import Path

from freehold_lab.measure import probe
from freehold_lab.model import Peak, Record, State


class Use(Record):
    series: str
    x: int
    peak: int
    left: int
    collections: int | None = None
    median_pause: int | None = None
    longest_pause: int | None = None


class Uses(Record):
    """What `probe memory` prints."""

    checksum: str
    points: list[Use]


def read(executable: Path, workload: str, compiler: str, strategy: str, scale: int) -> list[Peak]:
    uses = probe.ask(Uses, executable, *probe.measuring("memory", [workload], State.ALONE, scale))
    return [Peak(workload=workload, compiler=compiler, strategy=strategy, **use.model_dump()) for use in uses.points]
