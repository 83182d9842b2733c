"""Measures the memory that workloads take."""

from collections.abc import Sequence
from pathlib import Path

from freehold_lab.measure import probe
from freehold_lab.model import Peak, Record, State


class Use(Record):
    series: str
    x: int
    peak: int
    left: int


class Uses(Record):
    """What `probe memory` prints for a workload."""

    checksum: str
    points: list[Use]


def read(executable: Path, workloads: Sequence[str], compiler: str, strategy: str, scale: int) -> list[Peak]:
    arguments = probe.measuring("memory", workloads, State.ALONE, scale)
    name = probe.title(executable, *arguments)
    lines = probe.output([str(executable), *arguments], name).splitlines()
    return [
        Peak(workload=workload, compiler=compiler, strategy=strategy, **use.model_dump())
        for workload, line in zip(workloads, lines, strict=True)
        for use in probe.understand(Uses, line, name).points
    ]
