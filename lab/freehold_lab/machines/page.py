"""What was merged, as one HTML file: machines as columns, and each ratio between them. No network, no script."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from freehold_lab import catalogue
from freehold_lab.errors import LabError
from freehold_lab.machines import told
from freehold_lab.machines.between import Between, Choice
from freehold_lab.machines.inputs import plain
from freehold_lab.machines.reading import Fault, Run
from freehold_lab.machines.table import Everywhere
from freehold_lab.report import pages
from freehold_lab.report.figures import STATE_NAMES
from freehold_lab.report.tables.text import times
from freehold_lab.workloads import ALL

MOST_COLUMNS = 12  # of machines; of more those with the same processor share one
MOST_RATIOS = 4000
OTHERS = "other processors"


@dataclass(frozen=True)
class Column:
    title: str
    machines: list[str]


@dataclass(frozen=True)
class Pick:
    """A cell: what is picked most in a column, by how many of its machines, and the ratio between them."""

    label: str
    share: str
    ratio: str
    differs: bool


def write(runs: list[Run], faults: list[Fault], chosen: list[Choice], ratios: list[Everywhere], path: Path) -> None:
    columns = columns_of(runs)
    environment = pages.environment("freehold_lab.machines")
    environment.filters |= {"times": times, "interval": told.interval, "plain": plain}
    drawn = environment.get_template("merged.html.j2").render(
        runs=runs,
        faults=faults,
        columns=columns,
        choices=[(choice, [cell(choice, column) for column in columns]) for choice in chosen],
        changes=told.changes(chosen),
        sections=sections(ratios[:MOST_RATIOS]),
        missing=max(0, len(ratios) - MOST_RATIOS),
        labels={entry.name: entry.label for entry in catalogue.read()},
        states=STATE_NAMES,
    )
    try:
        path.write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise LabError(f"cannot write {path}: {error.strerror}") from error


def columns_of(runs: list[Run]) -> list[Column]:
    """Returns a column for each machine; of many machines one for each processor, the most frequent first."""
    if len(runs) <= MOST_COLUMNS:
        return [Column(run.name, [run.name]) for run in runs]
    by_processor: dict[str, list[str]] = {}
    for run in runs:
        by_processor.setdefault(plain(run.machine.processor), []).append(run.name)
    ordered = sorted(by_processor.items(), key=lambda each: -len(each[1]))
    own = ordered if len(ordered) <= MOST_COLUMNS else ordered[: MOST_COLUMNS - 1]
    columns = [Column(f"{len(machines)} × {processor}", machines) for processor, machines in own]
    if rest := [machine for _, machines in ordered[len(own) :] for machine in machines]:
        columns.append(Column(f"{len(rest)} × {OTHERS}", rest))
    return columns


def cell(choice: Choice, column: Column) -> Pick | None:
    there = Choice(choice.need, choice.compiler, {m: p for m in column.machines if (p := choice.by_machine.get(m))})
    if not there.by_machine:
        return None
    label, machines = there.winners[0]
    share = "" if len(machines) == len(there.by_machine) else f"{len(machines)} of {len(there.by_machine)}"
    return Pick(label, share, _ratio(there), differs=label != choice.winners[0][0])


def _ratio(there: Choice) -> str:
    """The ratio of one machine has an interval of its own."""
    if len(there.by_machine) > 1:
        return told.interval(there.between())
    pick = next(iter(there.by_machine.values()))
    return told.interval(Between(pick.ratio, pick.low, pick.high, machines=2))


def sections(ratios: list[Everywhere]) -> list[tuple[str, list[Everywhere]]]:
    """Returns the ratios by workload, with its title."""
    ordered = sorted(ratios, key=lambda each: list(ALL).index(each.workload) if each.workload in ALL else len(ALL))
    return [
        (ALL[workload].title if workload in ALL else plain(workload), list(group))
        for workload, group in groupby(ordered, key=lambda each: each.workload)
    ]
