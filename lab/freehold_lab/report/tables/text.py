"""Figures as text: the same digits in every table and chart."""

import math

from freehold_lab.model import Peak
from freehold_lab.report.figures import Figures, Place
from freehold_lab.report.tables.model import NOTHING, Cell, Tone
from freehold_lab.statistics import control_spread

BYTES_PER_KIBIBYTE = 1024
BYTES_PER_MEBIBYTE = 1024 * BYTES_PER_KIBIBYTE
MINUS = "\N{MINUS SIGN}"
TIE = "\N{ALMOST EQUAL TO}"


def number(value: float, digits: int) -> str:
    """`value` with `digits` digits after the point, never a negative zero."""
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text.replace("-", MINUS)


def significant(value: float, figures: int = 3) -> str:
    """`value` with about `figures` significant figures, never in powers of ten."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    return number(value, max(0, min(figures, figures - 1 - math.floor(math.log10(abs(value))))))


def amount(value: float | None) -> Cell:
    """A time, or none."""
    return NOTHING if value is None else Cell(significant(value), value=value)


def with_error(value: float, error: float) -> Cell:
    """A value as far as its error lets it be known: two figures of the error, at most two decimals, never ± 0."""
    digits = 2 if error <= 0 else max(0, min(2, 1 - math.floor(math.log10(error))))
    return Cell(number(value, digits), f"± {number(max(error, 10**-digits), digits)}", value=value)


def times(value: float) -> str:
    """A ratio: two decimals, and at least two figures."""
    return number(value, 2) if 0.1 <= value < 10 else significant(value, 2 if value < 1 else 3)


def count(value: float | None) -> Cell:
    """An executed count: whole where it is whole, else with one decimal."""
    if value is None:
        return NOTHING
    return Cell(number(value, 0 if abs(value - round(value)) < 0.05 else 1), value=value)


def ratio(figures: Figures, place: Place, strategy: str) -> Cell:
    """The time of `strategy` over the reference's, marked if it is a tie; beside the reference, the A/A control."""
    if strategy == figures.references[place.workload]:
        control = figures.controls.get(place)
        spread = _range(1 / control_spread(control), control_spread(control)) if control else "reference"
        return Cell("1", spread, value=1) if (place, strategy) in figures.times else NOTHING
    found = figures.ratios.get((place, strategy))
    if found is None:
        return NOTHING
    interval = _range(found.low, found.high)
    if found.tie:
        return Cell(f"{TIE}{times(found.ratio)}", interval, Tone.MUTED, found.ratio)
    return Cell(times(found.ratio), interval, Tone.FASTER if found.ratio < 1 else Tone.SLOWER, found.ratio)


def about_ratios(figures: Figures, workload: str) -> str:
    reference = figures.reference_label(workload)
    return (
        f"The ratio is the time over that of {reference}, with its 95 % interval. The row of {reference} shows how far "
        f"it differed from itself (the A/A control): an interval that overlaps this range is a tie ({TIE})."
    )


def kibibytes(use: Peak | None, which: str) -> Cell:
    """The `peak` of memory, or another field of a Peak: NOTHING where it was not measured."""
    found: int | None = getattr(use, which) if use else None
    if found is None:
        return NOTHING
    size = found / BYTES_PER_KIBIBYTE
    return Cell(number(size, 0), value=size)


def mebibytes(size: float) -> Cell:
    return amount(size / BYTES_PER_MEBIBYTE)


def percent(value: float, low: float, high: float) -> Cell:
    """A part of the whole, with its interval."""
    return Cell(f"{number(100 * value, 0)} %", f"{number(100 * low, 0)}–{number(100 * high, 0)}", value=100 * value)


def _range(low: float, high: float) -> str:
    return f"{times(low)}–{times(high)}"
