"""The statistics of a run: straight lines for the operations workload, paired ratios for every workload, shares for
queens.

The unit is always the launch. The points of one launch share its address layout, its processor and its
moment, so they are not independent: a line is fitted within each launch and a ratio is taken within each
round, and only the spread over launches and rounds says how sure a figure is. Every center is a median,
so a launch that the machine disturbed counts as one launch among many, however far out it lies.

The same launches always give the same findings: the bootstrap starts from a fixed seed.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal, TypeVar

import numpy

from freehold_lab.model import Cell, Findings, Launch, Line, Moment, Ratio, Result, Share, State
from freehold_lab.workloads import QUEENS, REFERENCES, reference

LINE_WORKLOAD = "operations"
FEWEST_SET_SIZES = 3  # two points lie on a line whatever happens
FEWEST_ROUNDS = 3  # below this an interval says nothing; from six rounds on it really covers 95 %
RESAMPLES = 1000
INTERVAL = (0.025, 0.975)  # of 95 %
SEED = 1851

# What the strategy does that others in queens leave out: those with it and without it that are else the same.
SHARED = "std_shared_ptr"
LEFT_OUT = {"counting": (SHARED, "uncounted_malloc"), "allocation": ("uncounted_malloc", "uncounted_stack")}

PointKey = tuple[str, int]  # series and x
Times = dict[int, dict[PointKey, float]]  # round → point → nanoseconds
Interval = tuple[float, float, float]  # a figure, and from where to where it may be
Name = TypeVar("Name")


def find(result: Result, to: str = "") -> Findings:
    """Computes the lines and ratios of all launches in `result`, in the order of its compilers and strategies.

    Ratios are to the strategy `to` in the workloads that it takes part in, and else to the reference of the workload.
    """
    cells = sort_by_cell(result.launches)
    compilers = [compiler.name for compiler in result.compilers]
    strategies = [strategy.name for strategy in result.strategies]

    def order(cell: Cell) -> tuple[str, int, State, bool, int]:
        return (
            cell.workload,
            _position(compilers, cell.compiler),
            cell.state,
            not cell.control,
            _position(strategies, cell.strategy),
        )

    ordered = {cell: cells[cell] for cell in sorted(cells, key=order)}
    chosen = {cell.workload: to for cell in ordered if cell.strategy == to}
    measured = {cell.strategy for cell in ordered}
    references = {workload: reference(workload, measured) for workload in REFERENCES} | chosen
    return Findings(
        references=references,
        lines=list(_lines(ordered)),
        ratios=list(_ratios(ordered, references)),
        shares=list(_shares(ordered)),
    )


def _lines(cells: dict[Cell, Times]) -> Iterator[Line]:
    for cell, times in cells.items():
        if cell.workload != LINE_WORKLOAD or cell.control:
            continue
        points = _common_points(times.values())
        if len(points) < FEWEST_SET_SIZES:
            continue
        sizes = numpy.array([x for _, x in points], dtype=float)
        (initialisation, copy_cost), errors = fit_line(sizes, _matrix(times, sorted(times), points))
        yield Line(
            compiler=cell.compiler,
            strategy=cell.strategy,
            state=cell.state,
            initialisation=initialisation,
            initialisation_error=errors[0],
            copy_cost=copy_cost,
            copy_error=errors[1],
        )


def fit_line(sizes: numpy.ndarray, times: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Fits `times` (launches × sizes) to intercept + slope · size: the two parameters and two standard deviations.

    Each launch gets its own least-squares line, and the parameters are the medians over launches. Noise grows
    with the time measured, so a point weighs as one over the typical time at its size; otherwise the largest set
    would decide the intercept. The standard deviation is the larger of two: that of the median over launches
    (from the median absolute deviation), and that of a line through the medians, from its residuals, which
    tells when the times do not lie on a line or when there is one launch only.
    """
    from scipy import linalg, stats  # takes a second, which nobody else here need wait

    launches, count = times.shape
    typical = numpy.median(times, axis=0)
    design = numpy.column_stack([numpy.ones(count), sizes]) / typical[:, None]
    each_launch = linalg.lstsq(design, (times / typical).T)[0]
    parameters = numpy.median(each_launch, axis=1)

    deviation = stats.median_abs_deviation(each_launch, axis=1, scale="normal")
    few_launches = launches / (launches - 0.8)  # takes out the deviation's bias (Croux and Rousseeuw, 1992)
    over_launches = deviation * few_launches * math.sqrt(math.pi / 2 / launches)
    residuals = design @ parameters - 1
    variance = residuals @ residuals / (count - 2)
    off_the_line = numpy.sqrt(variance * numpy.diag(linalg.inv(design.T @ design)))
    return parameters, 2 * numpy.maximum(over_launches, off_the_line)


def control_spread(control: Ratio) -> float:
    """The factor f such that 1/f to f is the spread of this A/A control: what lies in it may be chance.

    It is the control's interval made as wide below 1 as above, since which of two equals came out ahead is chance.
    """
    return max(control.high, 1 / control.low)


def compare(several: dict[str, Times], base: Times, point: PointKey) -> dict[str, Interval]:
    """Returns the ratio of each of `several` to `base` at `point`, with its 95 % interval; of those with enough rounds.
    Those with the same rounds share a bootstrap."""
    to = {round: at[point] for round, at in base.items() if point in at}
    sharing: dict[tuple[int, ...], dict[str, list[float]]] = {}
    for name, times in several.items():
        rounds = tuple(sorted(round for round in times if round in to and point in times[round]))
        logarithms = [math.log(times[round][point] / to[round]) for round in rounds]
        sharing.setdefault(rounds, {})[name] = logarithms
    found: dict[str, Interval] = {}
    for samples in sharing.values():
        middles = _medians(list(samples), numpy.array(list(samples.values())).T)
        found |= {name: (math.exp(one), math.exp(low), math.exp(high)) for name, (one, low, high) in middles.items()}
    return found


def _ratios(cells: dict[Cell, Times], references: dict[str, str]) -> Iterator[Ratio]:
    """Compares every cell with the reference's of the same workload, compiler and state, and controls with their twin.

    A tie: the interval of the ratio overlaps the spread of the A/A control at the same point.
    """
    spreads: dict[tuple[str, str, State, PointKey], float] = {}
    for cell, times in cells.items():  # a control comes before the strategies that are judged by it
        compared_with = cell.strategy if cell.control else references[cell.workload]
        base = cell.model_copy(update={"strategy": compared_with, "control": False})
        if cell == base or base not in cells:
            continue
        place = (cell.workload, cell.compiler, cell.state)
        for point, (middle, low, high) in _paired(times, cells[base]).items():
            spread = spreads.get((*place, point), 1.0)
            ratio = Ratio(
                workload=cell.workload,
                series=point[0],
                x=point[1],
                compiler=cell.compiler,
                strategy=cell.strategy,
                state=cell.state,
                ratio=middle,
                low=low,
                high=high,
                tie=cell.control or (low <= spread and high >= 1 / spread),
                control=cell.control,
            )
            if cell.control:
                spreads[*place, point] = control_spread(ratio)
            yield ratio


def _shares(cells: dict[Cell, Times]) -> Iterator[Share]:
    """What is left out takes the difference of two times of a round: its share is of the third one."""
    for whole in cells:
        if (whole.workload, whole.strategy, whole.control) != (QUEENS, SHARED, False):
            continue
        for of, pair in LEFT_OUT.items():
            three = [whole.model_copy(update={"strategy": name}) for name in (SHARED, *pair)]
            if not all(cell in cells for cell in three):
                continue
            points, (all_of_it, with_it, without_it) = _side_by_side([cells[cell] for cell in three])
            for point, (share, low, high) in _medians(points, (with_it - without_it) / all_of_it).items():
                yield Share(
                    of=of,
                    series=point[0],
                    x=point[1],
                    compiler=whole.compiler,
                    state=whole.state,
                    share=share,
                    low=low,
                    high=high,
                )


def _paired(times: Times, base: Times) -> dict[PointKey, list[float]]:
    """Per point, the median over rounds of time / base time, and its 95 % bootstrap interval over rounds."""
    points, (one, other) = _side_by_side([times, base])
    ratios = _medians(points, numpy.log(one / other))
    return {point: numpy.exp(figures).tolist() for point, figures in ratios.items()}


def _side_by_side(cells: list[Times]) -> tuple[list[PointKey], list[numpy.ndarray]]:
    """The points that all `cells` have in common, and the times of each cell at them (rounds × points)."""
    rounds = sorted(set.intersection(*(set(times) for times in cells)))
    points = _common_points(times[r] for times in cells for r in rounds)
    return points, [_matrix(times, rounds, points) for times in cells]


def _medians(names: list[Name], samples: numpy.ndarray) -> dict[Name, list[float]]:
    """Per column of `samples` (rounds × names), the median over rounds, and its 95 % bootstrap interval over rounds."""
    if len(samples) < FEWEST_ROUNDS or not names:
        return {}
    return dict(zip(names, median_intervals(samples).T.tolist(), strict=True))


def median_intervals(samples: numpy.ndarray) -> numpy.ndarray:
    """The medians of the columns of `samples`, and below them the two ends of their 95 % bootstrap intervals."""
    ordered, rounds = numpy.sort(samples, axis=0), len(samples)
    medians = numpy.sort(resampled_medians(ordered), axis=0)
    ends = []
    for part in INTERVAL:  # as numpy.quantile does it, which takes longer than all else here
        below, fraction = divmod(part * (RESAMPLES - 1), 1)
        lower, upper = medians[int(below)], medians[int(below) + 1]
        ends.append(lower + (upper - lower) * fraction)
    return numpy.array([(ordered[(rounds - 1) // 2] + ordered[rounds // 2]) / 2, *ends])


def resampled_medians(samples: numpy.ndarray, seed: int = SEED) -> numpy.ndarray:
    """The medians of the columns of `samples` in RESAMPLES bootstrap resamples of its rows."""
    ordered = numpy.sort(samples, axis=0)
    below, above = _middle_ranks(len(samples), seed)
    medians: numpy.ndarray = (ordered.take(below, axis=0) + ordered.take(above, axis=0)) / 2  # faster than an index
    return medians


@cache
def _middle_ranks(rounds: int, seed: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The two middle ones of the ranks that each resample draws. They are all that its median depends on, so samples of
    as many rounds share their resamples."""
    drawn = numpy.random.default_rng(seed).integers(rounds, size=(RESAMPLES, rounds))
    drawn.sort(axis=1)
    return drawn[:, (rounds - 1) // 2], drawn[:, rounds // 2]


def mean_of_steps(moments: Sequence[Moment], which: Literal["used", "resident"]) -> float:
    """Returns the mean of those bytes after each step. All steps count alike, however long a busy machine takes."""
    return float(numpy.mean([getattr(each, which) for each in moments[1:]]))


def sort_by_cell(launches: Iterable[Launch]) -> dict[Cell, Times]:
    """Sorts the launches by cell. A time that is not positive is a clock that did not tick: left out."""
    cells: dict[Cell, Times] = {}
    for launch in launches:
        points = {(p.series, p.x): p.nanoseconds for p in launch.points if 0 < p.nanoseconds < math.inf}
        cells.setdefault(launch.cell, {})[launch.round] = points
    return cells


def _common_points(launches: Iterable[dict[PointKey, float]]) -> list[PointKey]:
    """The points that every launch has, sorted."""
    sets = [launch.keys() for launch in launches]
    return sorted(set(sets[0]).intersection(*sets[1:])) if sets else []


def _matrix(times: Times, rounds: list[int], points: list[PointKey]) -> numpy.ndarray:
    return numpy.array([[times[r][point] for point in points] for r in rounds])


def _position(names: list[str], name: str) -> int:
    return names.index(name) if name in names else len(names)
