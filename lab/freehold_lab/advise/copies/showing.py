"""Prints the copies of each line."""

from collections import Counter
from collections.abc import Collection

from rich.console import Console
from rich.table import Table
from rich.text import Text

from freehold_lab.advise.analysis.naming import without_arguments
from freehold_lab.advise.copies import advice, following, local
from freehold_lab.advise.copies.attributing import Line
from freehold_lab.advise.copies.counting import Counted
from freehold_lab.advise.copies.following import COPIED, CROSSED, LOCKED, SOURCE_FIRST, Followed
from freehold_lab.advise.copies.instructions import COPY, LOCK
from freehold_lab.owners.answers.words import plain, short
from freehold_lab.owners.tables import naming

MOST_LINES = 20
GAP = 2


def show_counted(counted: Counted, program: str, console: Console) -> None:
    total = counted.total
    _say(console, f"Copies of std::shared_ptr in {program}", "bold")
    _say(
        console,
        f"{total[COPY]:,} copies and {total[LOCK]:,} locks of weak_ptr in {counted.instructions:,} instructions",
    )
    for each in counted.notes:
        _say(console, each, "yellow")
    lines, estimated = counted.copies.of_lines, counted.copies.estimated
    rows = [(line, [counts[COPY], counts[LOCK]]) for line, counts in _most(lines)]
    _show_lines(console, ["copies", "locks"], rows, len(lines), estimated)
    if total[COPY]:
        _say(console, "--shim FOLDER says how to find out which of them are needless.", "dim")


def show_followed(followed: Followed, program: str, console: Console) -> None:
    total = followed.total
    _say(console, f"Copies of std::shared_ptr in {program}", "bold")
    _say(
        console,
        f"{total[COPIED]:,} copies, {following.needless(total):,} of them needless, and {total[LOCKED]:,} locks of "
        "weak_ptr",
    )
    most = _most(followed.copies)
    rows = [
        (
            line,
            [counts[COPIED], following.needless(counts), *(counts[each] for each in (SOURCE_FIRST, CROSSED, LOCKED))],
        )
        for line, counts in most
    ]
    _show_lines(console, ["copies", "needless", "source first", "crossed", "locks"], rows, len(followed.copies))
    found = [each for line, counts in _most(followed.copies, None) if (each := advice.of(line, counts))]
    found.sort(key=lambda each: -each.copies)
    for number, each in enumerate(found[: advice.MOST], 1):
        _say(console, f"{number}. {each.line.where}: {each.words}", "bold")
        _say(console, f"   {each.copies:,} of {each.of:,} copies: {each.code}")
    if least := advice.saved(found):
        _say(console, f"References instead of these copies save at least {least:,} instructions.")
    _show_kinds(followed, program, min(len(found), advice.MOST), console)


def _show_kinds(followed: Followed, program: str, before: int, console: Console) -> None:
    """Says which types should have local pointers; `before`: pieces of advice that were told."""
    kinds = local.advised(followed.kinds)
    for number, kind in enumerate(kinds, before + 1):
        heading, *lines = local.told(kind, program)
        _say(console, f"{number}. {heading}", "bold")
        for text in lines:
            _say(console, f"   {text}")
    if not kinds and (locking_none := local.without_gain(followed.kinds)):
        _say(console, local.told_without_gain(locking_none), "dim")


def _most(copies: dict[Line, "Counter[str]"], most: int | None = MOST_LINES) -> list[tuple[Line, "Counter[str]"]]:
    return sorted(copies.items(), key=lambda each: (-each[1].total(), each[0]))[:most]


def _show_lines(
    console: Console,
    headings: list[str],
    rows: list[tuple[Line, list[int]]],
    lines: int,
    estimated: Collection[Line] = (),
) -> None:
    """Leaves out columns of nothing."""
    if not rows:
        return
    columns = [at for at in range(len(headings)) if any(counts[at] for _, counts in rows)]
    room = console.width - sum(max(len(headings[at]), 9) + GAP for at in columns) - GAP
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    drawn.add_column(Text("Line", style="bold"), no_wrap=True, overflow="ellipsis")
    for at in columns:
        drawn.add_column(Text(headings[at], style="dim"), no_wrap=True, justify="right")
    for line, counts in rows:
        about = "≈" if line in estimated else ""
        drawn.add_row(_where(line, room), *(f"{about}{counts[at]:,}" if counts[at] else "" for at in columns))
    console.print(drawn)
    if lines > len(rows):
        console.print(Text(f"and {lines - len(rows):,} more lines", style="dim"))


def _where(line: Line, room: int) -> Text:
    """Returns such as "server.cpp:12 serve"."""
    function = without_arguments(naming.demangled_function(line.function))
    return Text(short(f"{line.where} {function}".strip(), max(room, 20)))


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(plain(text), style=style), soft_wrap=True)
