"""`./freehold docs --costs FILE`, of whole programs: the tables that compare collectors, filled from one result.

A table stands between <!-- programs: KIND --> and <!-- /programs -->, with the command that measured it below. Programs
are those of the result, at the largest size that was measured.
"""

import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

from freehold_lab import checking, folders, store
from freehold_lab.errors import LabError
from freehold_lab.model import Peak, State
from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.report.tables import text
from freehold_lab.report.tables.latencies import LATENCY, NANOSECONDS_PER_MICROSECOND
from freehold_lab.report.tables.programs import NANOSECONDS_PER_MILLISECOND
from freehold_lab.setup import environment
from freehold_lab.workloads import ALL, PROGRAMS, QUEENS, REFERENCES

TABLE = re.compile(r"^<!-- programs: ([\w-]+) -->\n(.*?)^<!-- /programs -->$", re.MULTILINE | re.DOTALL)
REFERENCE = "ocaml"
ACTORS = "actors"
DOCUMENT_TREE = "document-tree"
LIVE_TREE = "live-tree"
SUBTREES = "subtrees"
BYTES_PER_MEBIBYTE = 1 << 20
NO_FIGURE = "–"
INDENT = "    "
LINE = 114
OPTION = re.compile(r"(--\S+) (?!--)")
NO_BREAK = "\N{NO-BREAK SPACE}"
# The columns of the tables that have a line for each program; the others have all strategies that were measured.
COMPARED = (
    *("traced_ptr", "cyclic_ptr", "local_shared_ptr", "std_shared_ptr", "rust_rc", "uncounted_malloc"),
    *("uncounted_boehm", "java_serial", "go"),
)

Lines = list[list[str]]


def fill(file: Path) -> Iterator[str]:
    """Fills the tables of all pages, and yields what it did, a line each. A table stays as it is if the result has
    nothing for it. Raises LabError if the file is no result, or for a table of an unknown kind."""
    figures = Figures(store.load(file))
    for path in checking.files(".md"):
        page = folders.ROOT / path
        before = page.read_text()
        after = before
        for found in TABLE.finditer(before):
            after = after.replace(found[0], _filled(figures, found, path))
        if after != before:
            page.write_text(after)
            yield f"{path}: filled from {file}"


def _filled(figures: Figures, found: re.Match[str], page: Path) -> str:
    kind = found[1]
    if kind not in KINDS:
        raise LabError(f"{page}: there is no table of programs called {kind}, only {', '.join(KINDS)}")
    head, lines = KINDS[kind](figures)
    if not lines:
        return found[0]
    rule = ["---", *["---:"] * (len(head) - 1)]
    table = "\n".join(f"| {' | '.join(line)} |".replace("  ", " ") for line in [head, rule, *lines])
    return f"<!-- programs: {kind} -->\n\n{table}\n\n{_source(figures)}\n<!-- /programs -->"


def _source(figures: Figures) -> str:
    """How all figures of the result were measured."""
    if not figures.result.command:
        raise LabError("the result does not say which command measured it: measure it again")
    compiler = figures.result.compilers[0]
    together = OPTION.sub(rf"\1{NO_BREAK}", figures.result.command)  # an option stays beside its value
    lines = textwrap.wrap(together, LINE, subsequent_indent=INDENT, break_on_hyphens=False)
    command = textwrap.indent(" \\\n".join(lines).replace(NO_BREAK, " "), INDENT)
    return (
        f"<details markdown>\n<summary>How these figures are measured</summary>\n\n"
        f"Medians of {figures.rounds} interleaved launches, compiled by {environment.family(compiler)} "
        f"{compiler.version} with {compiler.flags}, on {figures.result.machine.cores} cores. One run has filled in all "
        f"tables of this kind:\n\n{command}\n{INDENT}./freehold docs --costs results/latest.json\n</details>\n"
    )


def _panel(figures: Figures, strategy: str, workload: str) -> Panel:
    """One thread; what always has several, in that state."""
    compiler = figures.compilers[0]
    threaded = any(each.name == strategy and each.virtual_machine for each in figures.strategies)
    return Panel(compiler, State.THREADED if threaded or ALL[workload].threads else State.ALONE)


def _programs(figures: Figures) -> list[tuple[str, str, int]]:
    """The workload, the series and the largest size of each program that was timed."""
    largest: dict[tuple[str, str], int] = {}
    for place, _ in figures.times:
        if place.workload in PROGRAMS and place.workload != QUEENS and not LATENCY.fullmatch(place.series):
            key = place.workload, place.series
            largest[key] = max(largest.get(key, 0), place.x)
    order = list(PROGRAMS)
    found = [(workload, series, x) for (workload, series), x in largest.items()]
    return sorted(found, key=lambda each: order.index(each[0]))


def _name(figures: Figures, workload: str, series: str) -> str:
    alone = sum(each == workload for each, *_ in _programs(figures)) == 1
    return workload if alone else f"{workload}, {series}"


def _label(figures: Figures, strategy: str) -> str:
    return next((each.label for each in figures.strategies if each.name == strategy), strategy)


def _columns(figures: Figures) -> list[str]:
    return [name for name in COMPARED if any(name == strategy for _, strategy in figures.times)]


def _time(figures: Figures, workload: str, series: str, x: int, strategy: str, unit: float) -> str:
    found = figures.times.get((Place(workload, _panel(figures, strategy, workload), series, x), strategy))
    return text.significant(found.median / unit) if found else NO_FIGURE


def _times(figures: Figures) -> tuple[list[str], Lines]:
    """Times over OCaml's; a tie with it is marked."""
    columns = _columns(figures)
    lines: Lines = []
    for workload, series, x in _programs(figures):
        if REFERENCES[workload] != REFERENCE:
            continue
        line = [_name(figures, workload, series)]
        line.append(_time(figures, workload, series, x, REFERENCE, NANOSECONDS_PER_MILLISECOND))
        for strategy in columns:
            place = Place(workload, _panel(figures, strategy, workload), series, x)
            line.append(text.ratio(figures, place, strategy).text)
        lines.append(line)
    return ["", "OCaml, ms", *(_label(figures, each) for each in columns)], lines


def _memory(figures: Figures) -> tuple[list[str], Lines]:
    """Peaks in MiB, and the longest pauses in milliseconds that collectors report."""
    columns = [REFERENCE, *_columns(figures)]
    lines = [
        [_name(figures, workload, series), *(_weighed(figures, workload, series, x, each) for each in columns)]
        for workload, series, x in _programs(figures)
        if REFERENCES[workload] == REFERENCE
    ]
    return ["", *(_label(figures, each) for each in columns)], lines


def _weighed(figures: Figures, workload: str, series: str, x: int, strategy: str) -> str:
    use = figures.peaks.get((workload, figures.compilers[0], series, x), {}).get(strategy)
    if use is None:
        return NO_FIGURE
    pause = use.longest_pause
    paused = f", {text.significant(pause / NANOSECONDS_PER_MILLISECOND)}" if pause is not None else ""
    return f"{text.significant(use.peak / BYTES_PER_MEBIBYTE)}{paused}"


def _operations(workload: str, series: str) -> Callable[[Figures], tuple[list[str], Lines]]:
    """A line for each strategy: the whole time in milliseconds, single operations in microseconds, hundreds in
    milliseconds, and the peak with the longest reported pause."""

    def table(figures: Figures) -> tuple[list[str], Lines]:
        told = dict.fromkeys(place.series for place, _ in figures.times if place.workload == workload)
        latencies = [match for each in told if (match := LATENCY.fullmatch(each)) and match["of"] == series]
        units = {"one": ("µs", NANOSECONDS_PER_MICROSECOND), "stop": ("µs", NANOSECONDS_PER_MICROSECOND)}
        units["hundred"] = ("ms", NANOSECONDS_PER_MILLISECOND)
        x = max((x for name, _, x in _programs(figures) if name == workload), default=0)
        head = ["", "all, ms", *(f"{each['group']}, {each['figure']}, {units[each['group']][0]}" for each in latencies)]
        lines = [
            [
                each.label,
                whole,
                *(_time(figures, workload, at[0], x, each.name, units[at["group"]][1]) for at in latencies),
                _weighed(figures, workload, series, x, each.name),
            ]
            for each in figures.measured(workload)
            if (whole := _time(figures, workload, series, x, each.name, NANOSECONDS_PER_MILLISECOND)) != NO_FIGURE
        ]
        return [*head, "MiB, longest pause in ms"], lines

    return table


def _pauses(figures: Figures) -> tuple[list[str], Lines]:
    """Median and longest pause in milliseconds, as collectors report them, beside the two largest live trees."""
    told = {place[2:]: uses for place, uses in figures.peaks.items() if place[0] == LIVE_TREE}
    sizes = sorted({x for _, x in told})[-2:]
    lines = [
        [f"{_label(figures, name)}, {series}", *cells]
        for name in [each.name for each in figures.measured(LIVE_TREE)]
        for series in dict.fromkeys(series for series, _ in told)
        if set(cells := [_pause_of(told.get((series, x), {}).get(name)) for x in sizes]) != {NO_FIGURE}
    ]
    return ["", *(f"{x:,} nodes" for x in sizes)], lines


def _pause_of(use: Peak | None) -> str:
    if use is None or use.median_pause is None or use.longest_pause is None:
        return NO_FIGURE
    pauses = (use.median_pause, use.longest_pause)
    return ", ".join(text.significant(each / NANOSECONDS_PER_MILLISECOND) for each in pauses)


KINDS: dict[str, Callable[[Figures], tuple[list[str], Lines]]] = {
    "times": _times,
    "memory": _memory,
    "subtrees": _operations(SUBTREES, "replace"),
    "parents-owned": _operations(DOCUMENT_TREE, "parents owned"),
    "parents-observed": _operations(DOCUMENT_TREE, "parents observed"),
    "actors": _operations(ACTORS, "messages"),
    "shared-graph": _operations("shared-graph", "changes"),
    "pauses": _pauses,
}
