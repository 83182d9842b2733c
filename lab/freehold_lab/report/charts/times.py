"""Times as dots on their quartiles: a chart for each compiler, in it a panel for each series."""

from collections.abc import Iterator

import altair

from freehold_lab.report.charts.style import Chart, Layers, Value, dots, rows, state_rows, to_svg
from freehold_lab.report.figures import STATE_NAMES, Figures, Place
from freehold_lab.report.tables.instantiation import where
from freehold_lab.workloads import ALL, THREADS

NANOSECONDS = {"nanoseconds": 1.0, "milliseconds": 1e6}
ROW_HEIGHT = 26
WIDTHS = {1: 190, 2: 190, 3: 170}  # of a panel, by the number of panels
WIDTH = 145
ZERO = altair.Scale(zero=True)


def draw(figures: Figures, workload: str) -> Iterator[Chart]:
    """Draws the points of `workload`; of a program only the largest size."""
    subject = ALL[workload]
    timed = dict.fromkeys(place for place, _ in figures.times if place.workload == workload)
    largest = max((place.x for place in timed), default=0)
    unit, what = "nanoseconds", f"for one {subject.per}"
    if subject.kind == "program":
        unit, what = "milliseconds", f"at {subject.size.format(largest)}"
        timed = {place: None for place in timed if place.x == largest}
    elif workload == "containers":
        unit, what = "milliseconds", "to fill and to sort"
    elif workload == "instantiation":
        what = "to make and to release an owner"
    for compiler in figures.compilers:
        strategies = [each for each in figures.measured(workload) if each.is_built_with(compiler)]
        values = [
            _value(figures, place, strategy.name, strategy.label, unit)
            for panel in figures.panels(workload)
            for place in timed
            if place.panel == panel and panel.compiler == compiler
            for strategy in strategies
            if (place, strategy.name) in figures.times
        ]
        if values:
            caption = f"{compiler}: {unit} {what}; median and quartiles over launches."
            yield Chart(caption, _draw(values, [strategy.label for strategy in strategies], unit))


def _value(figures: Figures, place: Place, strategy: str, label: str, unit: str) -> Value:
    time = figures.times[place, strategy]
    subject = ALL[place.workload]
    divisor = NANOSECONDS[unit] * (subject.done_at(place.x) if subject.per else 1)
    at_once = subject.x == THREADS and place.x > 1  # in a panel of their own
    return {
        "series": where(place) if at_once else place.series,
        "label": label,
        "state": STATE_NAMES[place.panel.state],
        **{name: getattr(time, name) / divisor for name in time._fields},
    }


def _draw(values: list[Value], labels: list[str], unit: str) -> str:
    series: dict[str, list[Value]] = {}
    for value in values:
        series.setdefault(value["series"], []).append(value)
    width = WIDTHS.get(len(series), WIDTH)
    panels = [_panel(title, found, labels, unit, width, title == next(iter(series))) for title, found in series.items()]
    return to_svg(altair.hconcat(*panels, spacing=14))


def _panel(title: str, values: list[Value], labels: list[str], unit: str, width: int, first: bool) -> Layers:
    base = state_rows(labels, named=first)
    x = altair.X("low:Q", title=unit, scale=ZERO, axis=altair.Axis(tickCount=3))
    quartiles = base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q")
    medians = dots(base).encode(x=altair.X("median:Q", scale=ZERO))
    layers = altair.layer(quartiles, medians, data=rows(values))
    return layers.properties(title=title, width=width, height=ROW_HEIGHT * len(labels))
