"""What it costs to get memory and to free it: the workloads of the memory resources, a section each."""

from dataclasses import dataclass
from itertools import groupby

from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Section, Table, rows
from freehold_lab.workloads import SEVERAL_THREADS

WINKED_OUT = ", winked out"


@dataclass(frozen=True)
class Subject:
    """A workload; `per` is what a point's x counts, and what times are per."""

    title: str
    does: str
    per: str


SUBJECTS = {
    "list": Subject(
        "List (C++17's polymorphic allocators)",
        "A std::list of numbers is filled and destroyed: fresh with an arena that is made for it and ends with it, "
        "kept with one that has served the lists before.",
        "node",
    ),
    "reuse": Subject(
        "Reuse of a buffer",
        "A hundred vectors of 16 strings, one after the other, each with an arena of its own. Monotonic arenas share "
        "one buffer of 2,000 bytes and have no memory beyond it.",
        "vector",
    ),
    "pair": Subject("Pair", "A block of 32 bytes is allocated and freed, over and over.", "pair"),
    "batch": Subject(
        "Batch", "1,000 blocks of 32 bytes are allocated, and freed in the order of their allocation.", "block"
    ),
    "churn": Subject(
        "Churn",
        "20,000 blocks of 16 to 64 bytes live among as much free memory, in no order. A random one is freed and "
        "another one allocated in its stead.",
        "block",
    ),
    "mixes": Subject(
        "Mixes of containers (P0089)",
        "Containers of 1,000 elements are filled and destroyed, each with an arena of its own; or winked out: the "
        "arena ends, and no destructor runs.",
        "element",
    ),
    "producer-consumer": Subject(
        "Producer and consumer",
        "One thread allocates blocks of 48 bytes and passes them through a ring, another one frees them: as they are, "
        "or with a message that the one writes and the other reads. The time is that of the wall's clock.",
        "block",
    ),
    "larson": Subject(
        "Larson's ageing server",
        "Two threads each replace random ones of 20,000 blocks of 16 to 64 bytes, and after 100,000 replacements leave "
        "them to a thread that is started for it. The time is that of the wall's clock, for one replacement in each.",
        "replacement",
    ),
}


def sections(figures: Figures) -> list[Section]:
    """A section for each workload that was measured."""
    return [
        _section(figures, workload, subject, panels)
        for workload, subject in SUBJECTS.items()
        if (panels := figures.panels(workload))
    ]


def _section(figures: Figures, workload: str, subject: Subject, panels: list[Panel]) -> Section:
    legend = [
        f"{subject.does} Times are medians in nanoseconds for one {subject.per}, as are the instructions and locked "
        "read-modify-writes executed (instr., locked); peak is the memory taken, left what is kept when all is freed, "
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
            for winked_out, places in groupby(_in_order(figures.places(workload, panel)), key=_is_winked_out)
        ],
    )


def _is_winked_out(place: Place) -> bool:
    return place.series.endswith(WINKED_OUT)


def _in_order(places: list[Place]) -> list[Place]:
    return sorted(places, key=_is_winked_out)


def _table(figures: Figures, panel: Panel, subject: Subject, places: list[Place], winked_out: bool) -> Table:
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
        title=f"{subject.title}{WINKED_OUT if winked_out else ''}: {panel}",
        columns=[
            Column(title, place.series.removesuffix(WINKED_OUT).capitalize())
            for place in places
            for title in _cells(figures, place, "")
        ],
        rows=rows(strategies, cells),
        command=f"./freehold run --only {workload} --compiler {panel.compiler}",
    )


def _cells(figures: Figures, place: Place, strategy: str) -> dict[str, Cell]:
    time = figures.times.get((place, strategy))
    found = {
        "ns": Cell(text.significant(time.median / place.x)) if time else NOTHING,
        "ratio": text.ratio(figures, place, strategy),
    }
    if place.workload not in SEVERAL_THREADS:
        counted = figures.counted_for_one(place, strategy)
        found["instr."] = text.count(counted and counted.instructions)
        found["locked"] = text.count(counted and counted.locked)
    peaks = figures.peaks.get((place.workload, place.panel.compiler, place.series, place.x))
    if peaks:
        peak = peaks.get(strategy)
        found["peak"] = text.kibibytes(peak, "peak")
        found["left"] = text.kibibytes(peak, "left")
    return found
