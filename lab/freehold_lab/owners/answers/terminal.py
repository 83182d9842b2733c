"""Prints a report, or what has grown since an earlier one, in at most 40 lines."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from freehold_lab.heap.page import signed, signed_size, size
from freehold_lab.owners.answers import words
from freehold_lab.owners.answers.difference import Difference, Grown
from freehold_lab.owners.answers.report import Asked, Report, Type

MOST_TYPES = 9
MOST_LEAKS = 6
MOST_NOTES = 2
MOST_WRAPPED = 2
MOST_NAMED = 3  # types on a line
MOST_OWNERS = 20
MOST_ASKED = 5  # objects
FEW_OWNERS = 4  # of each, if there are several objects
LEAST_NAME = 12  # letters
GAP = 2
SIGNED_FIGURE = 12  # letters


def show(report: Report, console: Console) -> None:
    """Prints who owns what; of a report that was asked for one object or type, only what is told of it."""
    _title(console, f"Who owns what in {report.source} at {report.time}")
    _line(console, words.about(report))
    for text in (words.withheld(report), *report.notes[:MOST_NOTES]):
        if text:
            _line(console, text, "yellow")
    if report.asked:
        _show_asked(report, console)
        return
    if report.types:
        _show_types(report, console)
    _show_leaks(report, console)
    if expired := words.expired(report):
        listed = [f"{size(each.expired_bytes)} of {{}}" for each in expired[:MOST_NAMED]]
        _show_named(console, "Kept by expired weak pointers", listed, expired)
    if owned := words.most_owned(report):
        listed = [f"{each.owners:,} of {{}}" for each in owned[:MOST_NAMED]]
        _show_named(console, "Most owners", listed, owned)


def show_difference(difference: Difference, console: Console) -> None:
    """Prints what has grown."""
    _title(console, f"What has grown in {difference.new.source}")
    _line(console, f"from {difference.old.time} to {difference.new.time}")
    if difference.old.source != difference.new.source:
        _line(console, f"The earlier report is of {difference.old.source}.", "yellow")
    _show_grown(console, "Types", difference.types, ("objects", "bytes", "owners"), MOST_TYPES)
    _show_grown(console, "Leaks", difference.leaks, ("times", "objects", "bytes"), MOST_LEAKS)
    if difference.freed:
        _line(console, f"Types that have shrunk have {size(difference.freed)} less.", "dim")


def _title(console: Console, text: str) -> None:
    console.print(Text(words.short(text, console.width), style="bold"), no_wrap=True, overflow="ellipsis")


def _line(console: Console, text: str, style: str = "") -> None:
    """Prints a text that may take two lines, and no more."""
    lines = Text(words.plain(text), style=style).wrap(console, console.width)
    if len(lines) > MOST_WRAPPED:
        lines[MOST_WRAPPED - 1].truncate(console.width - 1)
        lines[MOST_WRAPPED - 1].append(words.CUT)
    for line in lines[:MOST_WRAPPED]:
        console.print(line, no_wrap=True, overflow="ellipsis")


def _show_types(report: Report, console: Console) -> None:
    shown = report.types[:MOST_TYPES]
    columns = {
        "objects": [f"{each.objects:,}" for each in shown],
        "bytes": [size(each.bytes) for each in shown],
        "owners": [f"{each.owners:,}" for each in shown],
        "weak": [f"{each.weak:,}" if each.weak else "" for each in shown],
        words.leaked(report): [size(each.leaked_bytes) if each.leaked_bytes else "" for each in shown],
        "expired": [size(each.expired_bytes) if each.expired_bytes else "" for each in shown],
    }
    _show_table(console, "Types", [each.name for each in shown], columns)
    _show_rest(console, len(report.types) - len(shown))


def _show_grown(console: Console, title: str, grown: list[Grown], fields: tuple[str, ...], most: int) -> None:
    if not grown:
        console.print(Text(f"{title}: none has grown."))
        return
    shown = grown[:most]
    room = console.width - len(fields) * SIGNED_FIGURE
    names = [words.cycle(each.leak, room) if each.leak else each.name for each in shown]
    columns = {}
    for field in fields:
        sign = signed_size if field == "bytes" else signed
        columns[field] = [sign(getattr(each.more, field)) for each in shown]
    _show_table(console, title, names, columns)
    _show_rest(console, len(grown) - len(shown))


def _show_rest(console: Console, count: int) -> None:
    if count:
        console.print(Text(f"and {count:,} more", style="dim"))


def _show_table(console: Console, title: str, names: list[str], columns: dict[str, list[str]]) -> None:
    """Prints a row for each name, without columns that have nothing; the names have the room that is left."""
    columns = {heading: cells for heading, cells in columns.items() if any(cells)}
    room = console.width - sum(max(map(len, [heading, *cells])) + GAP for heading, cells in columns.items())
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    drawn.add_column(Text(title, style="bold"), no_wrap=True, overflow="ellipsis")
    for heading in columns:
        drawn.add_column(Text(heading, style="dim"), no_wrap=True, justify="right")
    for index, name in enumerate(names):
        label = words.short(name, max(LEAST_NAME, room))
        drawn.add_row(Text(label), *(Text(cells[index]) for cells in columns.values()))
    console.print(drawn)


def _show_leaks(report: Report, console: Console) -> None:
    console.print(Text(words.leaks(report), style="bold"))
    if not report.leaks:
        return
    shown = report.leaks[:MOST_LEAKS]
    heads = [
        (words.plain(each.grade), f"{each.count:,} times" if each.count > 1 else "once", size(each.bytes))
        for each in shown
    ]
    grade, times, bytes = (max(len(head[index]) for head in heads) for index in range(3))
    for each, head in zip(shown, heads, strict=True):
        figures = f"  {head[1]:>{times}}  {head[2]:>{bytes}}"
        line = Text.assemble((f"{head[0]:{grade}}", "yellow"), figures)
        if each.behind:
            line.append(f"  behind it {words.objects(each.behind, console.width - len(line) - 12)}", style="dim")
        console.print(line, no_wrap=True, overflow="ellipsis")
        console.print(Text(f"  {words.cycle(each, console.width - 2)}"), no_wrap=True, overflow="ellipsis")
    _show_rest(console, len(report.leaks) - len(shown))


def _show_named(console: Console, title: str, listed: list[str], types: list[Type]) -> None:
    """Prints types on one line, whose names have the room that is left."""
    more = f" and {len(types) - len(listed):,} more" if len(types) > len(listed) else ""
    taken = len(title) + 2 + sum(map(len, listed)) + len(more)
    each_has = max(LEAST_NAME, (console.width - taken) // len(listed))
    named = ", ".join(text.format(words.short(each.name, each_has)) for text, each in zip(listed, types, strict=False))
    line = Text.assemble((f"{title}: ", "bold"), named, (more, "dim"))
    console.print(line, no_wrap=True, overflow="ellipsis")


def _show_asked(report: Report, console: Console) -> None:
    most = MOST_OWNERS if len(report.asked) == 1 else FEW_OWNERS
    for each in report.asked[:MOST_ASKED]:
        _show_object(each, console, most)
    if len(report.asked) > MOST_ASKED:
        console.print(Text(f"and {len(report.asked) - MOST_ASKED:,} more objects in --json", style="dim"))


def _show_object(asked: Asked, console: Console, most: int) -> None:
    said = f": {words.plain(asked.grade)}, {words.counts(asked)}"
    named = words.short(asked.type, max(LEAST_NAME, console.width - len(said) - 20))
    console.print(Text.assemble(f"{asked.address:#x} ", (named, "bold"), said))
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_header=False)
    for _ in range(3):
        drawn.add_column(no_wrap=True, overflow="ellipsis")
    for each in asked.handles[:most]:
        where = words.short(each.where, max(LEAST_NAME, console.width - 36))
        drawn.add_row(Text(f"  {each.address:#x}"), Text(words.plain(each.kind)), Text(where))
    if asked.handles:
        console.print(drawn)
    if len(asked.handles) > most:
        console.print(Text(f"  and {len(asked.handles) - most:,} more; --json has them all", style="dim"))
    holder = words.short(f"  {words.holder(asked)}", console.width // 2 if asked.path else console.width)
    path = words.ARROW + words.chain(asked.path, console.width - len(holder) - 4) if asked.path else ""
    console.print(Text(holder + path), no_wrap=True, overflow="ellipsis")
