"""Operations: what the fitted lines say that a copy and a creation cost, with their errors."""

from collections.abc import Iterator

import altair

from freehold_lab.report.charts.style import INK, Chart, Layers, Value, dots, rows, state_rows, to_svg
from freehold_lab.report.figures import STATE_NAMES, Figures
from freehold_lab.report.tables.text import with_error
from freehold_lab.statistics import LINE_WORKLOAD

WIDTH, ROW_HEIGHT = 290, 38
SMALL = 12
ROOM_FOR_TEXT = 1.4  # of the largest value: the figures stand to the right of their dots
AXES = {"copy": "a copy, nanoseconds", "initialisation": "initialization, nanoseconds"}


def draw(figures: Figures) -> Iterator[Chart]:
    for compiler in figures.compilers:
        labels = [strategy.label for strategy in figures.measured(LINE_WORKLOAD)]
        values = _values(figures, compiler)
        if values:
            panels = [_panel(values, labels, axis) for axis in AXES]
            caption = f"{compiler}: nanoseconds for a copy and for initialization, ± two standard deviations."
            yield Chart(caption, to_svg(altair.hconcat(*panels, spacing=12)))


def _values(figures: Figures, compiler: str) -> list[Value]:
    values = []
    for strategy in figures.measured(LINE_WORKLOAD):
        for panel in figures.panels(LINE_WORKLOAD):
            line = figures.lines.get((panel, strategy.name))
            if line and panel.compiler == compiler:
                for axis, value, error in (
                    ("copy", line.copy_cost, line.copy_error),
                    ("initialisation", line.initialisation, line.initialisation_error),
                ):
                    cell = with_error(value, error)
                    values.append(
                        {
                            "axis": axis,
                            "label": strategy.label,
                            "state": STATE_NAMES[panel.state],
                            "value": value,
                            "low": value - error,
                            "high": value + error,
                            "text": f"{cell.text} {cell.detail}",
                        }
                    )
    return values


def _panel(values: list[Value], labels: list[str], axis: str) -> Layers:
    shown = [value for value in values if value["axis"] == axis]
    domain = [min(0, *(value["low"] for value in shown)), ROOM_FOR_TEXT * max(value["high"] for value in shown)]
    scale = altair.Scale(domain=domain, nice=False)
    base = state_rows(labels, named=axis == "copy")
    x = altair.X("low:Q", title=AXES[axis], scale=scale, axis=altair.Axis(tickCount=5))
    errors = base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q")
    texts = base.mark_text(align="left", baseline="middle", dx=7, fontSize=SMALL).encode(
        x=altair.X("high:Q", scale=scale), text="text:N", color=altair.value(INK)
    )
    medians = dots(base).encode(x=altair.X("value:Q", scale=scale))
    return altair.layer(errors, medians, texts, data=rows(shown)).properties(
        width=WIDTH, height=ROW_HEIGHT * len(labels)
    )
