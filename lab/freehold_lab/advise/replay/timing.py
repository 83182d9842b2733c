"""Times whole runs of a program in several ways: in turn, so that each round compares runs of the same moment.

The program as it is takes part twice. How far these two are apart is chance, and so is what is not further apart.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from freehold_lab.advise.interval import Interval
from freehold_lab.advise.replay import counting
from freehold_lab.errors import LabError

ROUNDS = 15
SEED = 1851


@dataclass(frozen=True)
class Way:
    """A way to run the program."""

    name: str
    command: tuple[str, ...]
    preload: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)  # variables of the environment


@dataclass(frozen=True)
class Timed:
    name: str
    time: Interval  # more than as it is; shares of its time
    peak: Interval  # bytes more, of the whole process
    is_distinguishable: bool  # from chance

    @property
    def told(self) -> str:
        return self.time.percent if self.is_distinguishable else "not distinguishable"


def compare(usual: Way, others: Sequence[Way], stdin: Path | None = None) -> list[Timed]:
    """Raises LabError if a way cannot be run, or ends otherwise than the program as it is."""
    ways = [usual, Way("", usual.command, usual.preload), *others]
    order = random.Random(SEED)
    rounds = []
    for _ in range(ROUNDS):
        shuffled = order.sample(range(len(ways)), len(ways))
        used = {}
        for at in shuffled:
            way = ways[at]
            used[at] = counting.usage(way.command, stdin, way.preload, way.settings)
        rounds.append([used[at] for at in range(len(ways))])
    for at, way in enumerate(ways):
        if any(each[at].status != each[0].status for each in rounds):
            raise LabError(f"with {way.name or usual.name}, {Path(way.command[0]).name} does not always end alike")
    return _judged(ways, rounds)


def _judged(ways: Sequence[Way], rounds: list[list[counting.Usage]]) -> list[Timed]:
    import numpy

    from freehold_lab.statistics import median_intervals

    ratios = [[each.seconds / of[0].seconds - 1 for each in of] for of in rounds]
    peaks = [[float(each.peak - of[0].peak) for each in of] for of in rounds]
    times = [Interval(low, middle, high) for middle, low, high in median_intervals(numpy.array(ratios)).T.tolist()]
    more = [Interval(low, middle, high) for middle, low, high in median_intervals(numpy.array(peaks)).T.tolist()]
    chance = max(abs(times[1].low), abs(times[1].high))
    return [
        Timed(way.name, time, peak, time.low > chance or time.high < -chance)
        for way, time, peak in zip(ways[2:], times[2:], more[2:], strict=True)
    ]
