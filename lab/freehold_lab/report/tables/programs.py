"""What ownership costs whole programs, which are compared with OCaml: a section each."""

from freehold_lab.model import Peak
from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import latencies, queens_shares, text
from freehold_lab.report.tables.latencies import LATENCY
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Section, Table, rows
from freehold_lab.workloads import ALL, PROGRAMS, QUEENS, Workload

NANOSECONDS_PER_MILLISECOND = 1e6


def sections(figures: Figures) -> list[Section]:
    return [_section(figures, workload, ALL[workload]) for workload in PROGRAMS]


def _section(figures: Figures, workload: str, subject: Workload) -> Section:
    times = [
        _table(figures, subject, panel, [place for place in places if place.x == x])
        for panel in figures.panels(workload)
        if (places := _places(figures, workload, panel))
        for x in sorted({place.x for place in places})
    ]
    times += latencies.tables(figures, subject) if subject.latencies else []
    shares = queens_shares.tables(figures) if workload == QUEENS else []
    pauses = _pause_tables(figures, workload, subject) if subject.pauses else []
    tables = times + shares + _memory_tables(figures, workload, subject) + pauses
    return Section(
        workload=workload,
        title=subject.title,
        legend=_legend(figures, workload, subject) if tables else [],
        tables=tables,
    )


def _legend(figures: Figures, workload: str, subject: Workload) -> list[str]:
    return [
        subject.about,
        "Times are medians in milliseconds; instr. and locked are instructions and locked read-modify-writes "
        "executed, at a small size because counting is slow. Peak is the memory taken, left what remains after all is "
        "freed; runs are those of a garbage collector, longest is its longest reported pause in milliseconds.",
        text.about_ratios(figures, workload),
        *(queens_shares.sentences(figures) if workload == QUEENS else []),
    ]


def _places(figures: Figures, workload: str, panel: Panel) -> list[Place]:
    """The points that were timed or counted, but for those that tell how long operations took."""
    found = dict.fromkeys(place for place, _ in (*figures.times, *figures.counts))
    there = [place for place in found if place.workload == workload and place.panel == panel]
    return [place for place in there if not LATENCY.fullmatch(place.series)]


def _table(figures: Figures, subject: Workload, panel: Panel, places: list[Place]) -> Table:
    workload, x = places[0].workload, places[0].x
    titles = _titles(figures, places[0])

    def cells(strategy: str) -> list[Cell]:
        found = [_cells(figures, place, strategy) for place in places]
        return [each[title] for each in found for title in titles]

    return Table(
        subject=subject.title,
        size=subject.size.format(x),
        x=x,
        compiler=panel.compiler,
        state=panel.state,
        columns=[Column(title, place.series.capitalize()) for place in places for title in titles],
        rows=rows(figures.taking_part(workload), cells),
        command=f"./freehold run --only {workload} --compiler {panel.compiler}",
    )


def _titles(figures: Figures, place: Place) -> list[str]:
    timed = any(place == at for at, _ in figures.times)
    counted = any(place == at for at, _ in figures.counts)
    return ["ms", "ratio"] * timed + ["instr.", "locked"] * counted


def _cells(figures: Figures, place: Place, strategy: str) -> dict[str, Cell]:
    time = figures.times.get((place, strategy))
    counted = figures.counts.get((place, strategy))
    return {
        "ms": text.amount(time and time.median / NANOSECONDS_PER_MILLISECOND),
        "ratio": text.ratio(figures, place, strategy),
        "instr.": text.count(counted and counted.instructions),
        "locked": text.count(counted and counted.locked),
    }


def _memory_tables(figures: Figures, workload: str, subject: Workload) -> list[Table]:
    """A table for each compiler, of the largest size."""
    weighed = [place for place in figures.peaks if place[0] == workload]
    largest = max((x for *_, x in weighed), default=0)
    series = list(dict.fromkeys(series for _, _, series, x in weighed if x == largest))
    told = [use for place in weighed for use in figures.peaks[place].values()]
    titles = ["peak", "left"]
    if any(use.collections is not None for use in told):
        titles += ["runs", "longest"]

    def table(compiler: str) -> Table:
        def cells(strategy: str) -> list[Cell]:
            uses = [figures.peaks.get((workload, compiler, each, largest), {}).get(strategy) for each in series]
            return [each for use in uses for each in _uses(use)[: len(titles)]]

        return Table(
            subject=f"{subject.title}, memory in KiB",
            size=subject.size.format(largest),
            compiler=compiler,
            columns=[Column(which, each.capitalize()) for each in series for which in titles],
            rows=rows(figures.taking_part(workload), cells),
            command=f"./freehold run --only {workload} --compiler {compiler}",
        )

    compilers = dict.fromkeys(compiler for _, compiler, _, x in weighed if x == largest)
    return [table(compiler) for compiler in compilers]


def _pause_tables(figures: Figures, workload: str, subject: Workload) -> list[Table]:
    """A table for each compiler and series, of all sizes: for collectors that report pauses and had some."""
    paused: dict[tuple[str, str], dict[int, dict[str, Peak]]] = {}
    for (of, compiler, series, x), uses in figures.peaks.items():
        told = {name: use for name, use in uses.items() if use.longest_pause is not None}
        if of == workload and told:
            paused.setdefault((compiler, series), {})[x] = told
    compilers = dict.fromkeys(compiler for compiler, _ in paused)
    return [
        _pause_table(figures, workload, subject, compiler, series, told)
        for each in compilers
        for (compiler, series), told in paused.items()
        if compiler == each
    ]


def _pause_table(
    figures: Figures, workload: str, subject: Workload, compiler: str, series: str, told: dict[int, dict[str, Peak]]
) -> Table:
    names = {name for uses in told.values() for name in uses}

    def cells(strategy: str) -> list[Cell]:
        uses = [each.get(strategy) for each in told.values()]
        pauses = [(use.median_pause, use.longest_pause) if use else (None, None) for use in uses]
        return [_milliseconds(pause) for pair in pauses for pause in pair]

    return Table(
        subject=f"{subject.title}, {series}, pauses in milliseconds",
        compiler=compiler,
        series=[series],
        columns=[Column(which, subject.size.format(x)) for x in told for which in ("median", "longest")],
        rows=rows([each for each in figures.taking_part(workload) if each.name in names], cells),
        command=f"./freehold run --only {workload} --compiler {compiler}",
    )


def _uses(use: Peak | None) -> list[Cell]:
    return [
        text.kibibytes(use, "peak"),
        text.kibibytes(use, "left"),
        text.count(use.collections if use else None),
        _milliseconds(use.longest_pause if use else None),
    ]


def _milliseconds(nanoseconds: float | None) -> Cell:
    """To the microsecond: shorter pauses are noise."""
    if nanoseconds is None:
        return NOTHING
    milliseconds = nanoseconds / NANOSECONDS_PER_MILLISECOND
    return Cell(text.number(milliseconds, 3), value=milliseconds)
