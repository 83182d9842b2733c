"""Counts what workloads execute: one run of a probe under callgrind."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from freehold_lab.errors import LabError
from freehold_lab.measure import callgrind, probe
from freehold_lab.model import Count, Record, State


class Stretch(Record):
    """What the probe did for one dump."""

    series: str
    x: int
    iterations: int


class Stretches(Record):
    """What `probe count` prints for a workload. Each point has two stretches, which differ in iterations alone."""

    checksum: str
    points: list[Stretch]


def count(
    executable: Path, workloads: Sequence[str], compiler: str, strategy: str, state: State, scale: int
) -> list[Count]:
    """Returns the counts of one iteration at every point; containers hold `scale` objects. The same every time.

    All workloads are run by one process, because callgrind takes longer to start than most of them to run.
    """
    arguments = probe.measuring("count", workloads, state, scale)
    name = probe.title(executable, *arguments)
    text, dumps = callgrind.run([str(executable), *arguments], name)
    stretches = [
        (workload, stretch)
        for workload, line in zip_longest(workloads, text.splitlines(), fillvalue="")
        for stretch in probe.understand(Stretches, line, name).points
    ]
    if len(dumps) != len(stretches):
        raise LabError(f"{name}: callgrind wrote {len(dumps)} dumps, not {len(stretches)}")

    pairs = list(zip(stretches, dumps, strict=True))
    counts = []
    for ((_, less), executed_less), ((workload, more), executed_more) in zip(pairs[::2], pairs[1::2], strict=True):
        executed = executed_more - executed_less
        iterations = more.iterations - less.iterations
        counts.append(
            Count(
                workload=workload,
                compiler=compiler,
                strategy=strategy,
                state=state,
                series=more.series,
                x=more.x,
                instructions=executed.instructions / iterations,
                locked=None if executed.unread else executed.locked / iterations,
            )
        )
    return counts
