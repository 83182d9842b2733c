"""The figures of a result, found by what they belong to: all that tables, charts and the summary draw from."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from freehold_lab import statistics
from freehold_lab.model import Code, Count, Data, Line, Peak, Ratio, Result, State, Strategy, Timeline
from freehold_lab.statistics import LINE_WORKLOAD, Interval, PointKey, Times, find
from freehold_lab.workloads import ALL

STATE_NAMES = {State.ALONE: "one thread", State.THREADED: "second thread started"}


class Panel(NamedTuple):
    """A compiler and a thread state: what one table of times is about."""

    compiler: str
    state: State

    def __str__(self) -> str:
        return f"{self.compiler}, {STATE_NAMES[self.state]}"


class Place(NamedTuple):
    """A point of a panel's workload."""

    workload: str
    panel: Panel
    series: str
    x: int


class Time(NamedTuple):
    """Over launches: the median and the quartiles, in nanoseconds."""

    median: float
    low: float
    high: float


class Executed(NamedTuple):
    """What callgrind counted."""

    instructions: float
    locked: float | None


class CountLine(NamedTuple):
    """Counts as a line over set size, like the times."""

    initialisation: Executed
    copy: Executed


class Figures:
    def __init__(self, result: Result) -> None:
        self.result = result
        self.findings = findings = result.findings or find(result)
        self.lines: dict[tuple[Panel, str], Line] = {
            (Panel(line.compiler, line.state), line.strategy): line for line in findings.lines
        }
        places = [(_place(ratio), ratio) for ratio in findings.ratios]
        self.ratios: dict[tuple[Place, str], Ratio] = {
            (place, ratio.strategy): ratio for place, ratio in places if not ratio.control
        }
        self.controls: dict[Place, Ratio] = {place: ratio for place, ratio in places if ratio.control}
        self._launched = {
            (cell.workload, Panel(cell.compiler, cell.state), cell.strategy): times
            for cell, times in statistics.sort_by_cell(result.launches).items()
            if not cell.control
        }
        self._timed = _timed(self._launched)
        self.counts = {
            (_place(count), count.strategy): Executed(count.instructions, count.locked) for count in result.counts
        }
        # The largest place of each series: callgrind is slow, so it may have fewer pointees than were timed.
        self._counted_places = {at for at, _ in self.counts}
        self._counted = {at._replace(x=0): at for at in sorted(self._counted_places, key=lambda at: at.x)}
        self.code: dict[tuple[str, str, str], Code] = {(c.compiler, c.strategy, c.operation): c for c in result.code}
        self.data: dict[tuple[str, str], Data] = {(d.compiler, d.strategy): d for d in result.data}
        self.peaks: dict[tuple[str, str, str, int], dict[str, Peak]] = {}
        for peak in result.peaks:
            place = (peak.workload, peak.compiler, peak.series, peak.x)
            self.peaks.setdefault(place, {})[peak.strategy] = peak
        # By workload, series and strategy.
        self.timelines: dict[str, dict[str, dict[str, Timeline]]] = {}
        for each in result.timelines:
            self.timelines.setdefault(each.workload, {}).setdefault(each.series, {})[each.strategy] = each
        self._places = [_by_panel(self._timed), _by_panel(self.counts)]
        self.references = findings.references
        self.shares = findings.shares

    @cached_property
    def times(self) -> dict[tuple[Place, str], Time]:
        return {key: Time(*_quantiles(times, (0.5, 0.25, 0.75))) for key, times in self._timed.items()}

    @property
    def compilers(self) -> list[str]:
        return [compiler.name for compiler in self.result.compilers]

    @property
    def strategies(self) -> list[Strategy]:
        return self.result.strategies

    def reference_label(self, workload: str) -> str:
        name = self.references[workload]
        return next((strategy.label for strategy in self.strategies if strategy.name == name), name)

    def ratios_to(self, base: str, place: Place, strategies: Iterable[str]) -> dict[str, Interval]:
        """The paired ratios of times of `strategies` at `place` to those of `base`, with their 95 % intervals."""
        at = (place.workload, place.panel)
        there = {name: self._launched[*at, name] for name in strategies if (*at, name) in self._launched}
        return statistics.compare(there, self._launched.get((*at, base), {}), (place.series, place.x))

    def taking_part(self, workload: str) -> list[Strategy]:
        return [strategy for strategy in self.strategies if strategy.takes_part(workload)]

    def measured(self, workload: str) -> list[Strategy]:
        return [strategy for strategy in self.taking_part(workload) if strategy.status == "measured"]

    @property
    def rounds(self) -> int:
        return len({launch.round for launch in self.result.launches})

    def panels(self, workload: str) -> list[Panel]:
        """The panels in which any strategy was timed or counted at `workload`."""
        there = {place.panel for place, _ in (*self.times, *self.counts) if place.workload == workload}
        wanted = [Panel(compiler, state) for compiler in self.compilers for state in State]
        return [panel for panel in wanted if panel in there]

    def places(self, workload: str, panel: Panel) -> list[Place]:
        """The points that were timed, or if none was those that were counted; in the order of the workload."""
        timed, counted = (list(each.get((workload, panel), ())) for each in self._places)
        return timed or counted

    def has(self, place: Place, strategy: str) -> bool:
        """Whether the strategy was timed or counted at `place`."""
        return self.is_timed(place, strategy) or (place, strategy) in self.counts

    def is_timed(self, place: Place, strategy: str) -> bool:
        return (place, strategy) in self._timed

    def counted_at(self, place: Place) -> Place | None:
        """Where the series of `place` was counted: callgrind is slow, so possibly with fewer pointees."""
        return place if place in self._counted_places else self._counted.get(place._replace(x=0))

    def counted_for_one(self, place: Place, strategy: str) -> Executed | None:
        """What was counted for `place`, for one of what is done there."""
        at = self.counted_at(place)
        counted = self.counts.get((at, strategy)) if at else None
        if at is None or counted is None:
            return None
        done = ALL[at.workload].done_at(at.x)
        return Executed(counted.instructions / done, None if counted.locked is None else counted.locked / done)

    def count_line(self, panel: Panel, strategy: str) -> CountLine | None:
        counts = {
            place.x: count
            for (place, name), count in self.counts.items()
            if place.workload == LINE_WORKLOAD and place.panel == panel and name == strategy
        }
        if len(counts) < 2:
            return None
        from scipy import stats

        instructions, locked = (
            stats.linregress(list(counts), [getattr(count, axis) or 0 for count in counts.values()])
            for axis in Executed._fields
        )
        return CountLine(
            initialisation=Executed(instructions.intercept, locked.intercept),
            copy=Executed(instructions.slope, locked.slope),
        )


def _place(record: Ratio | Count) -> Place:
    return Place(record.workload, Panel(record.compiler, record.state), record.series, record.x)


def _by_panel(figures: Iterable[tuple[Place, str]]) -> dict[tuple[str, Panel], dict[Place, None]]:
    found: dict[tuple[str, Panel], dict[Place, None]] = defaultdict(dict)
    for place, _ in figures:
        found[place.workload, place.panel][place] = None
    return found


def _timed(launched: dict[tuple[str, Panel, str], Times]) -> dict[tuple[Place, str], list[float]]:
    """The times of all launches, by what was timed."""
    found: dict[tuple[Place, str], list[float]] = {}
    for (workload, panel, strategy), rounds in launched.items():
        by_point: dict[PointKey, list[float]] = defaultdict(list)
        for points in rounds.values():
            for point, time in points.items():
                by_point[point].append(time)
        found |= {(Place(workload, panel, *point), strategy): times for point, times in by_point.items()}
    return found


def _quantiles(values: list[float], parts: Sequence[float]) -> list[float]:
    """As numpy.quantile does it, which takes twenty times as long for a few values."""
    ordered = sorted(values)
    found = []
    for part in parts:
        below, fraction = divmod(part * (len(ordered) - 1), 1)
        lower, upper = ordered[int(below)], ordered[min(int(below) + 1, len(ordered) - 1)]
        found.append(lower + (upper - lower) * fraction)
    return found
