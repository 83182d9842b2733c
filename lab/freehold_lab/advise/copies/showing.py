"""Prints the copies of each line."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from freehold_lab.advise.answers.sites import without_arguments
from freehold_lab.advise.copies.attributing import Line
from freehold_lab.advise.copies.counting import Counted
from freehold_lab.advise.copies.instructions import COPY, LOCK
from freehold_lab.owners.answers.words import plain, short
from freehold_lab.owners.tables import naming

MOST_LINES = 20
FIGURES = 26  # letters of a line's, with the gaps


def show_counted(counted: Counted, program: str, console: Console) -> None:
    total = counted.total
    _say(console, f"Copies of std::shared_ptr in {program}", "bold")
    _say(
        console,
        f"{total[COPY]:,} copies and {total[LOCK]:,} locks of weak_ptr in {counted.instructions:,} instructions",
    )
    for each in counted.notes:
        _say(console, each, "yellow")
    if not counted.copies:
        return
    drawn = table("Line", "copies", "locks")
    ordered = sorted(counted.copies.items(), key=lambda each: (-each[1].total(), each[0]))
    for line, counts in ordered[:MOST_LINES]:
        drawn.add_row(where(line, console.width - FIGURES), figure(counts[COPY]), figure(counts[LOCK]))
    console.print(drawn)
    show_rest(len(ordered), console)


def show_rest(lines: int, console: Console) -> None:
    if lines > MOST_LINES:
        console.print(Text(f"and {lines - MOST_LINES:,} more lines", style="dim"))


def table(title: str, *headings: str) -> Table:
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    drawn.add_column(Text(title, style="bold"), no_wrap=True, overflow="ellipsis")
    for heading in headings:
        drawn.add_column(Text(heading, style="dim"), no_wrap=True, justify="right")
    return drawn


def where(line: Line, room: int) -> Text:
    """Returns such as "server.cpp:12 serve"."""
    function = without_arguments(naming.demangled_function(line.function))
    return Text(short(f"{line.where} {function}".strip(), max(room, 20)))


def figure(count: int) -> str:
    return f"{count:,}" if count else ""


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(plain(text), style=style), soft_wrap=True)
