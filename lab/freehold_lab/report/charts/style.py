"""What all charts share: colors that every eye can tell apart, on a light page and on a dark one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import altair
import vl_convert
from altair.utils import schemapi

from freehold_lab.model import State, Strategy
from freehold_lab.report.figures import STATE_NAMES

# Checking every part of a chart against Vega-Lite's schema takes as long as to draw it, so only the tests do.
schemapi.disable_debug_mode()
# altair copies charts with all their parts wherever it combines them. Nothing here changes these parts, so charts share
# them.
for part in (altair.Axis, altair.Data, altair.Legend, altair.Scale):
    part.__deepcopy__ = lambda self, memo: self  # type: ignore[union-attr]

INK = "currentColor"  # whatever the text of the page around it is drawn in
FONT = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
FONT_SIZE = 13

# Paul Tol's bright scheme and three more: distinct without red-green vision, and of middling lightness.
COLORS = [
    *("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE"),
    *("#AA3377", "#EE8866", "#999999", "#44AA99", "#8866CC"),
]
# A family is told by its shape and dashes, so a color need only be unique within it.
SHAPES = {
    "baseline": "triangle-up",
    "pointers": "circle",
    "cyclic": "diamond",
    "collection": "diamond",  # of results of version 0.1
    "peers": "square",
}
DASHES = {
    "baseline": [2, 3],
    "pointers": [1, 0],
    "cyclic": [8, 3, 2, 3],
    "collection": [8, 3, 2, 3],
    "peers": [6, 3],
}

LOOK: dict[str, Any] = {
    "font": FONT,
    "background": "transparent",
    "padding": 6,
    "view": altair.ViewConfig(stroke=None),
    "axis": altair.AxisConfig(
        labelColor=INK,
        titleColor=INK,
        labelFontSize=FONT_SIZE,
        titleFontSize=FONT_SIZE,
        titleFontWeight="normal",
        labelLimit=0,
        labelFlush=False,
        gridColor=INK,
        gridOpacity=0.15,
        domainColor=INK,
        domainOpacity=0.5,
        tickColor=INK,
        tickOpacity=0.5,
    ),
    "legend": altair.LegendConfig(labelColor=INK, labelFontSize=FONT_SIZE, labelLimit=0, symbolSize=90),
    "title": altair.TitleConfig(color=INK, fontSize=FONT_SIZE, anchor="start", frame="group"),
    "text": altair.MarkConfig(fontSize=FONT_SIZE),
}

STATE_COLORS = {State.ALONE: "#4477AA", State.THREADED: "#EE6677"}
STATE_SHAPES = {State.ALONE: "circle", State.THREADED: "diamond"}


Value = dict[str, Any]  # a row of the data that a chart is drawn from
Layers = altair.LayerChart | altair.FacetChart
Channel = TypeVar("Channel", altair.Color, altair.Shape)


@dataclass(frozen=True)
class Chart:
    caption: str
    svg: str


def colors(strategies: Iterable[Strategy]) -> dict[str, str]:
    """The color of each label, by its strategy's place in the family: the same in every run."""
    found: dict[str, str] = {}
    placed: dict[str, int] = {}
    for strategy in strategies:
        place = placed.get(strategy.family, 0)
        found[strategy.label] = COLORS[place % len(COLORS)]
        placed[strategy.family] = place + 1
    return found


def rows(values: list[Value]) -> altair.Data:
    return altair.Data(values=values)  # type: ignore[no-untyped-call]


def by_state(kind: type[Channel], looks: dict[State, str]) -> Channel:
    """Thread states told apart by a color or a shape, in one legend above the chart."""
    scale = altair.Scale(domain=list(STATE_NAMES.values()), range=[looks[state] for state in STATE_NAMES])
    return kind("state:N", scale=scale, legend=altair.Legend(orient="top", title=None))


def state_rows(labels: list[str], named: bool) -> altair.Chart:
    """A row for each strategy, in the order of the tables, and in it a line for each thread state."""
    return altair.Chart().encode(
        y=strategy_axis(labels, named),
        yOffset=altair.YOffset("state:N", sort=list(STATE_NAMES.values())),
        color=by_state(altair.Color, STATE_COLORS),
    )


def dots(chart: altair.Chart) -> altair.Chart:
    dotted: altair.Chart = chart.mark_point(filled=True, size=60, opacity=1)
    return dotted.encode(shape=by_state(altair.Shape, STATE_SHAPES))


def strategy_axis(labels: list[str], named: bool) -> altair.Y:
    axis = altair.Axis(title=None, grid=True, domain=False, ticks=False, labels=named, labelPadding=8)
    # The whole domain, so that a row is the same strategy's in every panel, also where one has none.
    return altair.Y("label:N", sort=labels, scale=altair.Scale(domain=labels), axis=axis)


def to_svg(chart: altair.TopLevelMixin) -> str:
    spec = chart.configure(**LOOK).to_dict(validate=schemapi.DEBUG_MODE)
    return vl_convert.vegalite_to_svg(spec, vl_version=altair.SCHEMA_VERSION.rpartition(".")[0])
