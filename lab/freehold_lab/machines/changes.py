"""What differs between two results: every time, with an interval, and every count, which is exact."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

import numpy

from freehold_lab import catalogue
from freehold_lab.errors import LabError
from freehold_lab.machines.rows import Key, counts_of, family_of, memory_of, times_of
from freehold_lab.model import Result
from freehold_lab.statistics import FEWEST_ROUNDS, INTERVAL, SEED, control_spread, resampled_medians

# How memory happens to lie decides a few instructions of an allocator: less is no change.
COUNT_NOISE = 1.001
# When memory goes back is a matter of moments, and a mean over time is measured once: on a busy machine some mallocs
# differ from themselves by a third.
MEMORY_NOISE = 1.5


class Axis(StrEnum):
    TIME = "time"
    INSTRUCTIONS = "instructions"
    LOCKED = "locked operations"
    MEMORY = "mean memory"


@dataclass(frozen=True)
class Change:
    """A figure before and after. A ratio whose interval overlaps 1 / `noise` to `noise` is a tie."""

    axis: Axis
    key: Key  # with the later compiler
    before: float
    after: float
    low: float
    high: float
    noise: float

    @property
    def ratio(self) -> float:
        return _ratio(self.before, self.after)

    @property
    def size(self) -> float:
        return distance(self.ratio)

    def is_worse(self, threshold: float) -> bool:
        return self.low > self.noise and self.ratio > 1 + threshold

    def is_better(self, threshold: float) -> bool:
        return self.high < 1 / self.noise and self.ratio < 1 / (1 + threshold)


def distance(ratio: float) -> float:
    """How far `ratio` is from 1, the same for twice and half."""
    return abs(math.log(ratio)) if 0 < ratio < math.inf else math.inf


def _ratio(before: float, after: float) -> float:
    if before == after:
        return 1.0
    return after / before if before else float("inf")


def matching(before: Result, after: Result, wanted: str = "") -> dict[str, str]:
    """Returns which compiler of `before` is compared with which of `after`: as `wanted`, BEFORE=AFTER, says; else those
    of one name; and if there is none, those of one family, such as g++-12 and g++-14."""
    earlier, later = ([each.name for each in result.compilers] for result in (before, after))
    if wanted:
        one, _, other = wanted.partition("=")
        other = other or one
        catalogue.check("compiler", [one], earlier)
        catalogue.check("compiler", [other], later)
        return {one: other}
    same = {name: name for name in earlier if name in later}
    return same or {one: other for one, other in product(earlier, later) if family_of(one) == family_of(other)}


def changes(before: Result, after: Result, compilers: dict[str, str]) -> list[Change]:
    """Returns all that both results have, the largest change first. Raises LabError if that is nothing."""
    noise = _noise(before), _noise(after)
    found = [
        *_times(before, after, compilers, noise),
        *_counts(before, after, compilers),
        *_memory(before, after, compilers),
    ]
    if not found:
        raise LabError("the results have no figure in common: other compilers (see --compiler), or other workloads")
    return sorted(found, key=lambda change: -change.size)


def gone(before: Result, after: Result, compilers: dict[str, str]) -> list[Key]:
    """Returns what was measured before, with compilers that are compared, and not after."""
    earlier, later = (
        times_of(result).keys() | counts_of(result).keys() | memory_of(result).keys() for result in (before, after)
    )
    return [key for key in earlier if (there := _moved(key, compilers)) and there not in later]


Noise = dict[tuple[str, str, int, str, str], float]  # by workload, series, x, compiler and state


def _noise(result: Result) -> Noise:
    """The spread of the A/A controls, by place."""
    ratios = result.findings.ratios if result.findings else []
    return {(r.workload, r.series, r.x, r.compiler, r.state): control_spread(r) for r in ratios if r.control}


def _times(before: Result, after: Result, compilers: dict[str, str], noise: tuple[Noise, Noise]) -> Iterator[Change]:
    later = times_of(after)
    for key, times in times_of(before).items():
        there = _moved(key, compilers)
        if there not in later:
            continue
        # The launches of two runs are no pairs, so each side is resampled by itself.
        sides = [numpy.log(numpy.array(each))[:, None] for each in (times, later[there])]
        was, now = (float(numpy.exp(numpy.median(side))) for side in sides)
        low, high = 0.0, float("inf")
        if min(map(len, sides)) >= FEWEST_ROUNDS:
            one, other = (resampled_medians(side, SEED + number) for number, side in enumerate(sides))
            low, high = map(float, numpy.exp(numpy.quantile(other - one, INTERVAL)))
        spread = max(noise[0].get(key[:5], 1.0), noise[1].get(there[:5], 1.0))
        yield Change(Axis.TIME, there, was, now, low, high, spread)


def _counts(before: Result, after: Result, compilers: dict[str, str]) -> Iterator[Change]:
    later = counts_of(after)
    for key, counted in counts_of(before).items():
        there = _moved(key, compilers)
        if there not in later:
            continue
        for axis, one, other in zip((Axis.INSTRUCTIONS, Axis.LOCKED), counted, later[there], strict=True):
            if one is not None and other is not None:
                exactly = _ratio(one, other)
                yield Change(axis, there, one, other, exactly, exactly, COUNT_NOISE)


def _memory(before: Result, after: Result, compilers: dict[str, str]) -> Iterator[Change]:
    later = memory_of(after)
    for key, size in memory_of(before).items():
        there = _moved(key, compilers)
        if there in later:
            exactly = _ratio(size, later[there])
            yield Change(Axis.MEMORY, there, size, later[there], exactly, exactly, MEMORY_NOISE)


def _moved(key: Key, compilers: dict[str, str]) -> Key | None:
    workload, series, x, compiler, state, strategy = key
    other = compilers.get(compiler)
    return (workload, series, x, other, state, strategy) if other else None
