"""Counts what workloads execute: one run of a probe under callgrind."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Generic, TypeVar

from freehold_lab.errors import LabError
from freehold_lab.measure import callgrind, probe
from freehold_lab.model import Count, Record, State

Reading = TypeVar("Reading")


class Stretch(Record):
    """What the probe did for one dump."""

    series: str
    x: int
    iterations: int


class Stretches(Record):
    """What `probe count` prints for a workload. Each point has two stretches, which differ in iterations alone."""

    checksum: str
    points: list[Stretch]


@dataclass(frozen=True)
class Difference(Generic[Reading]):
    """What was read at a point from a stretch with `less` iterations, and from one with `iterations` more."""

    workload: str
    series: str
    x: int
    iterations: int
    less: Reading
    more: Reading


def count(
    executable: Path, workloads: Sequence[str], compiler: str, strategy: str, state: State, scale: int
) -> list[Count]:
    """Returns the counts of one iteration at every point; containers hold `scale` objects. The same every time."""
    counts = []
    for point in differences(executable, workloads, state, scale, callgrind.run):
        executed = point.more - point.less
        counts.append(
            Count(
                workload=point.workload,
                compiler=compiler,
                strategy=strategy,
                state=state,
                series=point.series,
                x=point.x,
                instructions=executed.instructions / point.iterations,
                locked=None if executed.unread else executed.locked / point.iterations,
            )
        )
    return counts


def differences(
    executable: Path,
    workloads: Sequence[str],
    state: State,
    scale: int,
    run: Callable[[Sequence[str], str], tuple[str, list[Reading]]],
) -> Iterator[Difference[Reading]]:
    """Yields what `run` reads from the dumps of the probe at every point.

    All workloads are run by one process, because callgrind takes longer to start than most of them to run.
    """
    arguments = probe.measuring("count", workloads, state, scale)
    name = probe.title(executable, *arguments)
    text, dumps = run([str(executable), *arguments], name)
    stretches = [
        (workload, stretch)
        for workload, line in zip_longest(workloads, text.splitlines(), fillvalue="")
        for stretch in probe.understand(Stretches, line, name).points
    ]
    if len(dumps) != len(stretches):
        raise LabError(f"{name}: callgrind wrote {len(dumps)} dumps, not {len(stretches)}")

    pairs = list(zip(stretches, dumps, strict=True))
    for ((_, fewer), less), ((workload, stretch), more) in zip(pairs[::2], pairs[1::2], strict=True):
        yield Difference(workload, stretch.series, stretch.x, stretch.iterations - fewer.iterations, less, more)
