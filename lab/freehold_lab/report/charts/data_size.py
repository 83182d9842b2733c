"""Data size: the bytes of a handle and of what comes with it on the heap, as bars."""

from collections.abc import Iterator

import altair

from freehold_lab.report.charts.style import COLORS, INK, Chart, Layers, Value, rows, strategy_axis, to_svg
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables.sizes import DATA
from freehold_lab.report.tables.text import count

WIDTH, ROW_HEIGHT = 290, 24
ROOM_FOR_TEXT = 1.15
PARTS = {"handle": COLORS[0], "control": COLORS[3], "object": COLORS[7]}


def draw(figures: Figures) -> Iterator[Chart]:
    labels = [strategy.label for strategy in figures.measured(DATA)]
    compilers = [name for name in figures.compilers if any(compiler == name for compiler, _ in figures.data)]
    if compilers:
        panels = [_panel(figures, name, labels, name == compilers[0]) for name in compilers]
        yield Chart("Bytes for an object with one handle to it.", to_svg(altair.hconcat(*panels, spacing=14)))


def _panel(figures: Figures, compiler: str, labels: list[str], first: bool) -> Layers:
    found = {s.label: data for s in figures.measured(DATA) if (data := figures.data.get((compiler, s.name)))}
    values = [
        {"label": label, "part": part, "order": order, "bytes": size}
        for label, data in found.items()
        for order, (part, size) in enumerate(
            {
                "handle": data.handle,
                "control": data.control,
                "object": data.altogether - data.handle - data.control,
            }.items()
        )
        if size > 0
    ]
    parts = [part for part in PARTS if any(value["part"] == part for value in values)]
    totals: list[Value] = [
        {"label": label, "end": max(data.altogether, data.handle + data.control), "text": count(data.altogether).text}
        for label, data in found.items()
    ]
    scale = altair.Scale(domain=[0, ROOM_FOR_TEXT * max(total["end"] for total in totals)], nice=False)
    y = strategy_axis(labels, named=first)
    bars = (
        altair.Chart(rows(values))
        .mark_bar(height=ROW_HEIGHT - 8)
        .encode(
            x=altair.X("bytes:Q", title="bytes", scale=scale, stack=True),
            y=y,
            order="order:O",
            color=altair.Color(
                "part:N",
                legend=altair.Legend(orient="top", title=None),
                scale=altair.Scale(domain=parts, range=[PARTS[part] for part in parts]),
            ),
        )
    )
    texts = (
        altair.Chart(rows(totals))
        .mark_text(align="left", baseline="middle", dx=5, color=INK)
        .encode(x=altair.X("end:Q", scale=scale), y=y, text="text:N")
    )
    return altair.layer(bars, texts).properties(title=compiler, width=WIDTH, height=ROW_HEIGHT * len(labels))
