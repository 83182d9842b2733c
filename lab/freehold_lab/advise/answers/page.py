"""A page of a report. It opens offline; it has no script."""

from pathlib import Path

from freehold_lab.advise.analysis.summary import KINDS
from freehold_lab.advise.answers import terminal
from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.answers.sites import Group
from freehold_lab.heap.page import size
from freehold_lab.owners.answers import saving
from freehold_lab.owners.answers.words import plain
from freehold_lab.report import pages

MARK = b'<meta name="generator" content="freehold advise">'
MOST_SITES = 1000


def write(report: Report, path: Path) -> None:
    """Raises LabError if the page cannot be written."""
    environment = pages.environment("freehold_lab.advise.answers")
    environment.filters |= {"plain": plain}
    drawn = environment.get_template("advise.html.j2").render(
        mark=MARK.decode(),
        program=report.recording.command[0],
        about=terminal.about(report),
        verdict=terminal.verdict(report) if report.bound else "",
        notes=report.notes,
        allocators=terminal.allocators(report) if report.predictions or report.times else None,
        advice=report.advice,
        sites=[_row(each) for each in report.sites[:MOST_SITES]],
        kinds=[(name, [f"{count:,}"]) for name, count in zip(KINDS, report.summary.kinds, strict=True) if count],
    )
    saving.replace(path, drawn.encode(), MARK)


def _row(group: Group) -> tuple[str, list[str]]:
    figures = (group.bytes, group.at_peak, group.left_bytes)
    lifetime = group.median_lifetime
    return " < ".join(group.functions), [
        f"{group.blocks:,}",
        *map(size, figures),
        "" if lifetime is None else size(lifetime),
        terminal.share(group.in_stack_order, group.freed),
        terminal.share(group.by_others, group.freed),
    ]
