"""What a workload costs for one of what it does: the tables of memory, and of pointers that have none of their own."""

from itertools import groupby

from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import latencies, text
from freehold_lab.report.tables.latencies import LATENCY
from freehold_lab.report.tables.model import Cell, Column, Section, Table, rows
from freehold_lab.workloads import ALL, WITH_UNITS, Workload

WINKED_OUT = ", winked out"


def sections(figures: Figures) -> list[Section]:
    """A section for each workload that was measured."""
    return [
        _section(figures, workload, ALL[workload], panels)
        for workload in WITH_UNITS
        if (panels := figures.panels(workload))
    ]


def _section(figures: Figures, workload: str, subject: Workload, panels: list[Panel]) -> Section:
    legend = [
        f"{subject.about} Times are medians in nanoseconds for one {subject.per}, as are the instructions and locked "
        "read-modify-writes executed (instr., locked); peak is the memory taken, left what remains after all is freed, "
        "both in KiB.",
        text.about_ratios(figures, workload),
    ]
    return Section(
        workload=workload,
        title=subject.title,
        legend=legend,
        tables=[
            _table(figures, panel, subject, list(places), winked_out)
            for panel in panels
            for winked_out, places in groupby(_in_order(_places(figures, subject, panel)), key=_is_winked_out)
        ]
        + (latencies.tables(figures, subject) if subject.latencies else []),
    )


def _places(figures: Figures, subject: Workload, panel: Panel) -> list[Place]:
    """The points of the panel, but for those that have a table of latencies."""
    there = figures.places(subject.name, panel)
    return [place for place in there if not (subject.latencies and LATENCY.fullmatch(place.series))]


def _is_winked_out(place: Place) -> bool:
    return place.series.endswith(WINKED_OUT)


def _in_order(places: list[Place]) -> list[Place]:
    return sorted(places, key=_is_winked_out)


def _table(figures: Figures, panel: Panel, subject: Workload, places: list[Place], winked_out: bool) -> Table:
    workload = places[0].workload
    strategies = [
        strategy
        for strategy in figures.taking_part(workload)
        if strategy.is_built_with(panel.compiler)
        and (strategy.status != "measured" or any(figures.has(place, strategy.name) for place in places))
    ]

    def cells(strategy: str) -> list[Cell]:
        return [cell for place in places for cell in _cells(figures, place, strategy).values()]

    return Table(
        subject=f"{subject.title}{WINKED_OUT if winked_out else ''}",
        compiler=panel.compiler,
        state=panel.state,
        series=list(dict.fromkeys(place.series for place in places)),
        columns=[
            Column(title, _heading(subject, place, places)) for place in places for title in _cells(figures, place, "")
        ],
        rows=rows(strategies, cells),
        command=f"./freehold run --only {workload} --compiler {panel.compiler}",
    )


def _heading(subject: Workload, place: Place, places: list[Place]) -> str:
    """Names the x of a point, too, where there are several."""
    name = place.series.removesuffix(WINKED_OUT).capitalize()
    return name if len({each.x for each in places}) == 1 else f"{name}, {subject.at(place.x)}"


def _cells(figures: Figures, place: Place, strategy: str) -> dict[str, Cell]:
    time = figures.times.get((place, strategy))
    found = {
        "ns": text.amount(time and time.median / ALL[place.workload].done_at(place.x)),
        "ratio": text.ratio(figures, place, strategy),
    }
    if not ALL[place.workload].threads or (ALL[place.workload].counted and place.x == 1):
        counted = figures.counted_for_one(place, strategy)
        found["instr."] = text.count(counted and counted.instructions)
        found["locked"] = text.count(counted and counted.locked)
    peaks = figures.peaks.get((place.workload, place.panel.compiler, place.series, place.x))
    if peaks:
        peak = peaks.get(strategy)
        found["peak"] = text.kibibytes(peak, "peak")
        for title, which in (("end", "resident"), ("idle", "idle")):
            if any(getattr(each, which) is not None for each in peaks.values()):
                found[title] = text.kibibytes(peak, which)
        found["left"] = text.kibibytes(peak, "left")
        if any(each.unfreed is not None for each in peaks.values()):
            found["unfreed"] = text.count(peak.unfreed if peak else None)
    return found
