"""Operations: the time of a set over its size, measured points and fitted lines, each with its name at its end."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import altair
import numpy
from scipy import optimize

from freehold_lab.model import Line, Strategy
from freehold_lab.report.charts.style import DASHES, INK, SHAPES, Chart, Layers, colors, rows, to_svg
from freehold_lab.report.figures import Figures, Panel
from freehold_lab.statistics import LINE_WORKLOAD

WIDTH, HEIGHT = 560, 440
NAME_WIDTH, NAME_HEIGHT = 220, 18
LEADER = 24  # width of the stroke that leads from the end of a line to its name
HEADROOM = 1.03
FAMILIES = list(SHAPES)


class Series(NamedTuple):
    """A strategy of a panel: its points (set size, nanoseconds) and the line through them."""

    strategy: Strategy
    points: Sequence[tuple[float, float]]
    line: Line

    def at(self, size: float) -> float:
        return self.line.initialisation + size * self.line.copy_cost


def draw(figures: Figures) -> Iterator[Chart]:
    palette = colors(figures.taking_part(LINE_WORKLOAD))
    color = altair.Color("label:N", legend=None, scale=altair.Scale(domain=list(palette), range=list(palette.values())))
    for panel in figures.panels(LINE_WORKLOAD):
        if series := _series(figures, panel):
            largest = max(size for one in series for size, _ in one.points)
            top = HEADROOM * max(max(one.at(largest), *(time for _, time in one.points)) for one in series)
            height = max(HEIGHT, NAME_HEIGHT * (len(series) + 1))
            caption = (
                f"{panel}: nanoseconds to make an object, share it among n handles and release it. "
                "Points are medians over launches."
            )
            chart = altair.hconcat(
                _plot(series, largest, top).properties(width=WIDTH, height=height).encode(color=color),
                _names(series, largest, top, height).properties(width=NAME_WIDTH, height=height).encode(color=color),
                spacing=6,
            )
            yield Chart(caption, to_svg(chart))


def _series(figures: Figures, panel: Panel) -> list[Series]:
    places = figures.places(LINE_WORKLOAD, panel)
    found = []
    for strategy in figures.measured(LINE_WORKLOAD):
        line = figures.lines.get((panel, strategy.name))
        points = [(p.x, figures.times[p, strategy.name].median) for p in places if (p, strategy.name) in figures.times]
        if line and points:
            found.append(Series(strategy, points, line))
    return found


def _plot(series: list[Series], largest: float, top: float) -> Layers:
    sizes = sorted({size for one in series for size, _ in one.points})
    x = altair.X(
        "size:Q",
        title="set size n",
        axis=altair.Axis(values=[0, *sizes], grid=False),
        scale=altair.Scale(domain=[0, largest], nice=False),
    )
    y = altair.Y(
        "time:Q",
        title="nanoseconds a set",
        axis=altair.Axis(tickCount=8),
        scale=altair.Scale(domain=[0, top], nice=False),
    )
    lines = altair.Chart(_rows(series, lambda one: [(x, one.at(x)) for x in (0, largest)])).mark_line(strokeWidth=1.5)
    dash = altair.StrokeDash("family:N", legend=None, scale=altair.Scale(domain=FAMILIES, range=list(DASHES.values())))
    points = altair.Chart(_rows(series, lambda one: one.points)).mark_point(filled=True, size=40, opacity=1)
    shape = altair.Shape("family:N", legend=None, scale=altair.Scale(domain=FAMILIES, range=list(SHAPES.values())))
    return altair.layer(lines.encode(x=x, y=y, strokeDash=dash), points.encode(x=x, y=y, shape=shape))


def _names(series: list[Series], largest: float, top: float, height: int) -> Layers:
    """The names beside the plot, on the same scale, each at the end of a stroke from where its line ends."""
    ends = [one.at(largest) for one in series]
    beside = spread(ends, gap=top * NAME_HEIGHT / height, top=top)
    strokes = [
        {"label": one.strategy.label, "across": across, "time": time}
        for one, end, name in zip(series, ends, beside, strict=True)
        for across, time in ((0, end), (LEADER, name))
    ]
    x = altair.X("across:Q", axis=None, scale=altair.Scale(domain=[0, NAME_WIDTH], nice=False))
    y = altair.Y("time:Q", axis=None, scale=altair.Scale(domain=[0, top], nice=False))
    leaders = altair.Chart(rows(strokes)).mark_line(strokeWidth=1.5)
    labels = altair.Chart(rows([stroke for stroke in strokes if stroke["across"]])).mark_text(
        align="left", baseline="middle", dx=4
    )
    return altair.layer(leaders.encode(x=x, y=y), labels.encode(x=x, y=y, text="label:N", color=altair.value(INK)))


def _rows(series: list[Series], points_of: Callable[[Series], Sequence[tuple[float, float]]]) -> altair.Data:
    return rows(
        [
            {"label": one.strategy.label, "family": one.strategy.family, "size": size, "time": time}
            for one in series
            for size, time in points_of(one)
        ]
    )


def spread(heights: list[float], gap: float, top: float) -> list[float]:
    """`heights` moved as little as sets any two at least a `gap` apart, in the same order, between 0 and `top`."""
    order = numpy.argsort(heights, kind="stable")
    steps = gap * numpy.arange(len(heights))
    close = optimize.isotonic_regression(numpy.asarray(heights)[order] - steps).x
    moved = numpy.empty(len(heights))
    moved[order] = numpy.clip(close, gap / 2, top - gap / 2 - steps[-1]) + steps
    return moved.tolist()
