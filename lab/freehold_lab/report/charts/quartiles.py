"""Times as dots on their quartiles, a panel for each series: what containers and instantiation draw."""

import altair

from freehold_lab.report.charts.style import Layers, Value, dots, rows, state_rows, to_svg
from freehold_lab.report.figures import STATE_NAMES, Figures, Place

WIDTH, ROW_HEIGHT = 145, 26
ZERO = altair.Scale(zero=True)


def values(figures: Figures, series: str, place: Place, unit: float = 1) -> list[Value]:
    """The times at `place`, in so many nanoseconds, of each strategy that was measured; `series` names the panel."""
    return [
        {
            "series": series,
            "label": strategy.label,
            "state": STATE_NAMES[place.panel.state],
            **{name: getattr(time, name) / unit for name in time._fields},
        }
        for strategy in figures.measured(place.workload)
        if (time := figures.times.get((place, strategy.name)))
    ]


def draw(found: list[Value], labels: list[str], unit: str, width: int = WIDTH) -> str:
    series = list(dict.fromkeys(value["series"] for value in found))
    panels = [
        _panel([value for value in found if value["series"] == name], labels, unit, width, name == series[0])
        for name in series
    ]
    return to_svg(altair.hconcat(*panels, spacing=14))


def _panel(found: list[Value], labels: list[str], unit: str, width: int, first: bool) -> Layers:
    base = state_rows(labels, named=first)
    x = altair.X("low:Q", title=unit, scale=ZERO, axis=altair.Axis(tickCount=3))
    quartiles = base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q")
    medians = dots(base).encode(x=altair.X("median:Q", scale=ZERO))
    return altair.layer(quartiles, medians, data=rows(found)).properties(
        title=found[0]["series"], width=width, height=ROW_HEIGHT * len(labels)
    )
