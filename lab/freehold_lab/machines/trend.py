"""What changed over many results of one machine, and at which of them: change points, by Apache Otava."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from freehold_lab.errors import LabError
from freehold_lab.machines.changes import COUNT_NOISE, MEMORY_NOISE, Axis, distance
from freehold_lab.machines.rows import Key, counts_of, memory_of, times_of
from freehold_lab.model import Result

MOST_CHANCE = 0.001  # that a change point is none
FEWEST = {Axis.TIME: 6, Axis.INSTRUCTIONS: 3, Axis.MEMORY: 6}  # results: of fewer noisy ones none stands out


@dataclass(frozen=True)
class Step:
    """A change point: the mean of what comes before it, back to the last one, and of what follows."""

    at: int  # the first result that has the new level
    before: float
    after: float


@dataclass(frozen=True)
class Trend:
    """A figure over the results that have it, with its change points."""

    axis: Axis
    key: Key
    steps: list[Step]

    @property
    def ratio(self) -> float:
        """The last level over the first."""
        return self.steps[-1].after / self.steps[0].before

    @property
    def size(self) -> float:
        return max(distance(step.after / step.before) for step in self.steps)

    def is_worse(self, threshold: float) -> bool:
        return self.ratio > 1 + threshold


def trends(results: Sequence[Result], threshold: float) -> list[Trend]:
    """Returns the figures that change by more than `threshold` somewhere, the largest change first. Raises LabError if
    no figure is in enough of the results."""
    found, seen = [], 0
    noise = {Axis.TIME: threshold, Axis.INSTRUCTIONS: COUNT_NOISE - 1, Axis.MEMORY: MEMORY_NOISE - 1}
    for axis, key, places, values in _series(results):
        seen += 1
        if steps := _steps(places, values, noise[axis]):
            found.append(Trend(axis, key, steps))
    if not seen:
        raise LabError(
            "too few results have the same figures: change points need three with counts, or six with times or memory"
        )
    return sorted(found, key=lambda trend: -trend.size)


def _series(results: Sequence[Result]) -> Iterator[tuple[Axis, Key, list[int], list[float]]]:
    figures: dict[tuple[Axis, Key], dict[int, float]] = {}
    for place, result in enumerate(results):
        for key, times in times_of(result).items():
            figures.setdefault((Axis.TIME, key), {})[place] = median(times)
        for key, (instructions, _) in counts_of(result).items():
            figures.setdefault((Axis.INSTRUCTIONS, key), {})[place] = instructions
        for key, size in memory_of(result).items():
            figures.setdefault((Axis.MEMORY, key), {})[place] = size
    for (axis, key), by_place in figures.items():
        if len(by_place) >= FEWEST[axis]:
            yield axis, key, list(by_place), list(by_place.values())


def _steps(places: list[int], values: list[float], threshold: float) -> list[Step]:
    if max(values) <= min(values) * (1 + threshold):  # most series: Otava need not look
        return []
    from otava.analysis import compute_change_points

    points, _ = compute_change_points(values, max_pvalue=MOST_CHANCE, min_magnitude=threshold)
    return [Step(places[point.index], float(point.stats.mean_1), float(point.stats.mean_2)) for point in points]
