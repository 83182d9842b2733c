"""Instantiation: the time to make and to release an owner, in one thread, in two, and with a move in between."""

from collections.abc import Iterator

from freehold_lab.report.charts import quartiles
from freehold_lab.report.charts.style import Chart
from freehold_lab.report.figures import Figures, Place
from freehold_lab.report.tables.instantiation import WORKLOAD, where

WIDTH = 190


def draw(figures: Figures) -> Iterator[Chart]:
    labels = [strategy.label for strategy in figures.measured(WORKLOAD)]
    for compiler in figures.compilers:
        values = [
            value
            for panel in figures.panels(WORKLOAD)
            if panel.compiler == compiler
            for place in figures.places(WORKLOAD, panel)
            for value in quartiles.values(figures, _title(place), place)
        ]
        if values:
            caption = f"{compiler}: nanoseconds to make and to release an owner; median and quartiles over launches."
            yield Chart(caption, quartiles.draw(values, labels, "nanoseconds", WIDTH))


def _title(place: Place) -> str:
    return where(place) if place.x > 1 else place.series
