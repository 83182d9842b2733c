"""What to use, in words: the fastest to copy, to create and to move, and the smallest, read from the figures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from freehold_lab import catalogue
from freehold_lab.model import State, Strategy
from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import instantiation, text
from freehold_lab.statistics import LINE_WORKLOAD, control_spread
from freehold_lab.workloads import ALL, QUEENS

LOCKS = 0.5  # locked operations a copy, from which on a strategy counts atomically
SOLE_OWNERS = {entry.name for entry in catalogue.read() if entry.sole}
# They are there to compare with: a C++ program cannot use them.
OTHER_LANGUAGES = {entry.name for entry in catalogue.read() if entry.needs in catalogue.LANGUAGES}


class Verdict(NamedTuple):
    winner: str
    words: str


@dataclass(frozen=True)
class Answer:
    where: str
    verdict: Verdict


@dataclass(frozen=True)
class Question:
    text: str
    answers: list[Answer]


class Estimate(NamedTuple):
    """A figure that lies between `low` and `high`, and what to call it."""

    value: float
    low: float
    high: float
    words: str


# What a figure is estimated at is a panel or a compiler, as the question has it.
Estimator = Callable[[Figures, Any, str], Estimate | None]


def questions(figures: Figures) -> list[Question]:
    """The questions that the figures can answer, each with an answer per panel or compiler. Strategies that own nothing
    are no answers."""
    panels = figures.panels(LINE_WORKLOAD)
    threaded = [panel for panel in panels if panel.state is State.THREADED]
    instantiated = figures.panels(instantiation.WORKLOAD)
    at_once = [panel for panel in instantiated if panel.state is State.THREADED]
    owning = ("pointers", "cyclic", "traced", "collection", "peers")
    usable = [s for s in figures.strategies if s.family in owning and s.name not in OTHER_LANGUAGES]
    sole = [strategy for strategy in usable if strategy.name in SOLE_OWNERS]
    shared = [strategy for strategy in usable if strategy.name not in SOLE_OWNERS]
    allocating = [strategy for strategy in figures.strategies if strategy.family in ("memory", "allocators")]
    smallest_set = min((place.x for panel in panels for place in figures.places(LINE_WORKLOAD, panel)), default=0)
    asked: list[tuple[str, Estimator, Sequence[Panel | str], list[Strategy]]] = [
        ("Fastest copy", _copy, panels, shared),
        ("Fastest copy with an atomic count, for handles shared between threads", _atomic_copy, threaded, shared),
        (f"Fastest to create and release, with {smallest_set} copies", _creation, panels, shared),
        ("Fastest to create and release in two threads at once", _creation_at_once, at_once, shared),
        ("Fastest sole owner to create, move and release", _creation_with_a_move, instantiated, sole),
        ("Fastest ownership for n-queens, const reference", _queens, figures.panels(QUEENS), shared),
        ("Smallest, with one handle to each object", _size, figures.compilers, shared),
        ("Fastest for a short-lived list", _short_list, figures.panels("list"), allocating),
        ("Fastest for blocks of many sizes", _churn, figures.panels("churn"), allocating),
        (
            "Fastest for blocks that another thread frees",
            _passed_on,
            figures.panels("producer-consumer"),
            allocating,
        ),
    ]
    found = [Question(words, _answers(figures, places, estimate, owners)) for words, estimate, places, owners in asked]
    return [question for question in found if question.answers]


def _copy(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    line = figures.lines.get((panel, strategy))
    if line is None:
        return None
    cell = text.with_error(line.copy_cost, line.copy_error)
    low, high = line.copy_cost - line.copy_error, line.copy_cost + line.copy_error
    return Estimate(line.copy_cost, low, high, f"{cell.text} {cell.detail} ns")


def _atomic_copy(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    counts = figures.count_line(panel, strategy)
    return _copy(figures, panel, strategy) if counts and (counts.copy.locked or 0) > LOCKS else None


def _creation(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    """The smallest set as it was timed. The line's intercept is an extrapolation: a processor overlaps a creation with
    locked instructions, so that it can come out below the cost of new and delete."""
    return _timed(figures, min(figures.places(LINE_WORKLOAD, panel), key=lambda place: place.x), strategy)


def _creation_at_once(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    return _timed(figures, Place(instantiation.WORKLOAD, panel, "make and release", 2), strategy)


def _creation_with_a_move(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    return _timed(figures, Place(instantiation.WORKLOAD, panel, "make, move and release", 1), strategy)


def _timed(figures: Figures, place: Place, strategy: str, unit: int = 1) -> Estimate | None:
    """The time as a ratio to the reference's, because ratios are paired and so more exact; told for one of `unit`."""
    time = figures.times.get((place, strategy))
    if time is None:
        return None
    words = f"{text.significant(time.median / unit)} ns"
    ratio = figures.ratios.get((place, strategy))
    if strategy == figures.references[place.workload]:
        spread = control_spread(figures.controls[place]) if place in figures.controls else 1
        return Estimate(1, 1 / spread, spread, words)
    return Estimate(ratio.ratio, ratio.low, ratio.high, words) if ratio else None


def _queens(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    """The largest board that was timed, as a ratio to OCaml."""
    places = [place for place in figures.places(QUEENS, panel) if place.series == "const reference"]
    place = max(places, key=lambda place: place.x, default=None)
    found = _timed(figures, place, strategy) if place else None
    if place is None or found is None:
        return None
    reference = figures.reference_label(QUEENS)
    return found._replace(words=f"{text.times(found.value)} times {reference} at n = {place.x}")


def _short_list(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    return _timed_at(figures, panel, "list", "fresh", strategy)


def _churn(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    return _timed_at(figures, panel, "churn", "16 to 64 bytes", strategy)


def _passed_on(figures: Figures, panel: Panel, strategy: str) -> Estimate | None:
    return _timed_at(figures, panel, "producer-consumer", "passed on", strategy)


def _timed_at(figures: Figures, panel: Panel, workload: str, series: str, strategy: str) -> Estimate | None:
    place = next((place for place in figures.places(workload, panel) if place.series == series), None)
    return _timed(figures, place, strategy, ALL[workload].done_at(place.x)) if place else None


def _size(figures: Figures, compiler: str, strategy: str) -> Estimate | None:
    data = figures.data.get((compiler, strategy))
    if data is None:
        return None
    size = data.altogether
    return Estimate(size, size, size, f"{text.count(size).text} bytes")


def _answers(
    figures: Figures, places: Sequence[Panel | str], estimate: Estimator, owners: list[Strategy]
) -> list[Answer]:
    """An answer for each place, or one for all that agree."""
    beside = [strategy.label for strategy in owners if strategy.name in (*figures.references.values(), *SOLE_OWNERS)]
    where: dict[Verdict, list[str]] = {}
    for place in places:
        estimates = {strategy.label: found for strategy in owners if (found := estimate(figures, place, strategy.name))}
        if estimates:
            where.setdefault(_verdict(estimates, beside), []).append(str(place))
    return [Answer(" and ".join(names), verdict) for verdict, names in where.items()]


def _verdict(estimates: dict[str, Estimate], beside: list[str]) -> Verdict:
    """The best, and as ties all whose interval overlaps its interval; those to be named in any case `beside` them."""
    winner = min(estimates, key=lambda label: estimates[label].value)
    best = estimates[winner]
    tied = [label for label, other in estimates.items() if label != winner and other.low <= best.high]
    words = best.words
    if tied:
        words += f"; tied with {', '.join(map(_without_comma, tied))}"
    for other in beside:
        if other in estimates and other not in (winner, *tied):
            words += f"; {other} {estimates[other].words}"
            if best.low > 0:
                words += f", {text.significant(estimates[other].value / best.value, 2)} times that"
    return Verdict(winner, words)


def _without_comma(label: str) -> str:
    """Writes a label for a list: "intrusive, plain" as "intrusive (plain)"."""
    name, comma, kind = label.partition(", ")
    return f"{name} ({kind})" if comma else label
