"""Figures between machines: the median of their ratios, with an interval, and where what to use changes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy

from freehold_lab.machines.picks import Pick
from freehold_lab.statistics import FEWEST_ROUNDS, INTERVAL, resampled_medians


@dataclass(frozen=True)
class Between:
    """The median of machines' ratios with its 95 % bootstrap interval over machines; of fewer than three, the range."""

    ratio: float
    low: float
    high: float
    machines: int


def between(ratios: Sequence[float]) -> Between:
    """Takes a ratio of each machine, all above zero."""
    logarithms = numpy.log(numpy.array(ratios, dtype=float))[:, None]
    enough = len(ratios) >= FEWEST_ROUNDS
    ends = numpy.quantile(resampled_medians(logarithms), INTERVAL) if enough else logarithms[[0, -1]]
    low, middle, high = numpy.exp([ends.min(), numpy.median(logarithms), ends.max()]).tolist()
    return Between(middle, low, high, len(ratios))


@dataclass(frozen=True)
class Choice:
    """What machines pick for a need, with one family of compilers."""

    need: str
    compiler: str
    by_machine: dict[str, Pick]

    @property
    def winners(self) -> list[tuple[str, list[str]]]:
        """What is picked, with the machines that pick it; the most frequent first."""
        counted = Counter(pick.label for pick in self.by_machine.values())
        return [
            (label, [machine for machine, pick in self.by_machine.items() if pick.label == label])
            for label, _ in counted.most_common()
        ]

    @property
    def changes(self) -> bool:
        return len(self.winners) > 1

    def between(self) -> Between:
        """Returns the ratio of the most frequent pick, between the machines that pick it."""
        label = self.winners[0][0]
        return between([pick.ratio for pick in self.by_machine.values() if pick.label == label])


def choices(picked: Iterable[tuple[str, Sequence[Pick]]]) -> list[Choice]:
    """Returns a choice for each need and family of compilers, of machines with their picks; in the order of needs."""
    found: defaultdict[tuple[str, str], dict[str, Pick]] = defaultdict(dict)
    for machine, picks in picked:
        for pick in picks:
            found[pick.need, pick.compiler].setdefault(machine, pick)
    needs = list(dict.fromkeys(need for need, _ in found))
    keys = sorted(found, key=lambda key: (needs.index(key[0]), key[1] != "g++", key[1]))
    return [Choice(*key, found[key]) for key in keys]
