"""Prints a report, in at most 40 lines."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from freehold_lab.advise.analysis.naming import without_arguments
from freehold_lab.advise.answers import sentences
from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.answers.sites import Group
from freehold_lab.advise.changes.advice import Advice
from freehold_lab.advise.interval import Interval
from freehold_lab.advise.replay import timing
from freehold_lab.heap.page import signed_size, size
from freehold_lab.owners.answers.words import plain, short

MOST_SITES = 8  # one less for each piece of advice
MOST_IN_FULL = 2  # pieces of advice, of three and more
MOST_NOTES = 2
MOST_WRAPPED = 2
GAP = 2
FIGURES = 48  # letters of a site's, with the gaps
OTHERS = 8  # and of a column that most programs do without


def show(report: Report, console: Console) -> None:
    program = short(report.recording.command[0], console.width - len("What  allocates"))
    _line(console, f"What {program} allocates", "bold")
    for text in sentences.about(report):
        _line(console, text)
    for text in report.notes[:MOST_NOTES]:
        _line(console, text, "yellow")
    if report.bound is not None:
        _line(console, sentences.verdict(report), "bold")
    if report.predictions or report.times:
        _show_allocators(report, console)
    for number, each in enumerate(report.advice, 1):
        _show_advice(number, each, number <= MOST_IN_FULL, console)
    if text := sentences.without_advice(report):
        _line(console, text, "bold")
    if len(report.advice) > MOST_IN_FULL:
        _line(
            console,
            "Each gain is that of one change alone; --output PAGE tells all of each.",
            "dim",
        )
    _show_sites(report, MOST_SITES - len(report.advice), console)


def allocators(report: Report) -> tuple[str, list[str], list[tuple[str, list[str]]]]:
    """Returns a table of what is predicted with other allocators, and what was measured: a title, headings, rows."""
    measured = f"time of {timing.ROUNDS} runs"
    if not report.predictions:
        rows = [(each.name, [each.told, _peak(each.peak)]) for each in report.times]
        return "Measured with", [measured, "peak memory"], rows
    rows = [(each.name, [each.instructions.percent, _peak(each.peak)]) for each in report.predictions]
    if not report.times:
        return "Predicted with", ["instructions", "peak memory"], rows
    times = {each.name: each.told for each in report.times}
    return (
        "Predicted with",
        ["instructions", "peak memory", measured],
        [(name, [*cells, times[name]]) for name, cells in rows],
    )


def _peak(more: Interval) -> str:
    return f"{signed_size(round(more.low))} to {signed_size(round(more.high))}"


def share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else ""


def stack_order(report: Report, group: Group) -> str:
    """Of all blocks, a sample does not know the youngest."""
    return "" if report.recording.sampled else share(group.in_stack_order, group.freed)


def _line(console: Console, text: str, style: str = "") -> None:
    """Prints a text that may take two lines, and no more."""
    lines = Text(plain(text), style=style).wrap(console, console.width)
    for line in lines[:MOST_WRAPPED]:
        console.print(line, no_wrap=True, overflow="ellipsis")


def _show_allocators(report: Report, console: Console) -> None:
    title, headings, rows = allocators(report)
    drawn = _table(title, *headings)
    for name, cells in rows:
        drawn.add_row(Text(name), *cells)
    console.print(drawn)


def _show_advice(number: int, advice: Advice, in_full: bool, console: Console) -> None:
    title = f"{number}. {advice.predicted.instructions.percent} of the instructions: {advice.change}"
    if not in_full:
        console.print(Text(plain(title), style="bold"), no_wrap=True, overflow="ellipsis")
        return
    _line(console, title, "bold")
    console.print(Text(f"   write: {plain(advice.lines[-1])}"), no_wrap=True, overflow="ellipsis")
    _line(console, f"   because: {advice.evidence}")
    _line(console, f"   refuted by: {advice.refuted_by}")
    console.print(Text(f"   confirm: {plain(advice.confirm)}"), soft_wrap=True)


def _show_sites(report: Report, most: int, console: Console) -> None:
    groups = report.sites
    drawn = _table("Sites", "blocks", "bytes", "at peak", "lifetime", "stack", "others")
    has_others = any(each.by_others for each in groups)
    room = max(20, console.width - FIGURES - (OTHERS if has_others else 0))
    for each in groups[:most]:
        lifetime = each.median_lifetime
        drawn.add_row(
            Text(short(" < ".join(map(without_arguments, each.functions)), room)),
            f"{each.blocks:,}",
            size(each.bytes),
            size(each.at_peak),
            size(lifetime) if lifetime is not None else "left",
            stack_order(report, each),
            share(each.by_others, each.freed),
        )
    if not has_others:
        drawn.columns.pop()
    console.print(drawn)
    if text := sentences.rough(report, most):
        _line(console, text, "yellow")
    if len(groups) > most:
        console.print(Text(f"and {len(groups) - most:,} more sites", style="dim"))


def _table(title: str, *headings: str) -> Table:
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    drawn.add_column(Text(title, style="bold"), no_wrap=True, overflow="ellipsis")
    for heading in headings:
        drawn.add_column(Text(heading, style="dim"), no_wrap=True, justify="right")
    return drawn
