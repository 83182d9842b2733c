"""Draws a result in the terminal: what to use for each need and, when asked, every table."""

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.table import Table as Drawn
from rich.text import Text

from freehold_lab.model import Result
from freehold_lab.report.about import remarks
from freehold_lab.report.decisions import NOT_MEASURED, Candidate, Decision, decide
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import sections, text
from freehold_lab.report.tables.model import Cell, Column, Row, Section, Table, Tone

STYLES = {Tone.PLAIN: "", Tone.MUTED: "dim", Tone.FASTER: "cyan", Tone.SLOWER: "yellow"}  # told apart by every eye
INDENT = "  "
WIDE = 116  # columns: a narrower terminal has no room for intervals, nor for what is replaced
Group = list[tuple[Text, Column, list[Text]]]  # heading, column and cells of columns that stay together


def show(result: Result, console: Console, everything: bool = False) -> None:
    """Prints what to use, and remarks; before it `everything`: each table that `result` has figures for."""
    figures = Figures(result)
    for section in sections(figures) if everything else []:
        if section.tables:
            show_section(section, console)
    console.print()
    for remark in remarks(figures):
        console.print(Text(remark, style="yellow"))
    _show_decisions(figures, console)


def show_section(section: Section, console: Console) -> None:
    """Prints the tables of `section`."""
    console.print()
    console.rule(Text(section.title, style="bold"), align="left")
    for line in section.legend:
        console.print(Text(line, style="dim"))
    for table in section.tables:
        console.print()
        console.print(Text.assemble((table.title, "bold"), (f"   {table.command}", "dim")))
        for block in _blocks(table, console.width):
            console.print(block)


def _blocks(table: Table, width: int) -> Iterator[Drawn]:
    """The table; in a narrow terminal as several, one under the other, each with the groups of columns that fit."""
    labels = [_label(row) for row in table.rows]
    block: list[Group] = []
    for group in _groups(table, width - _width(labels)):
        wanted = _width(labels) + sum(_group_width(each) for each in [*block, group])
        if block and wanted > width:
            yield _drawn(labels, block)
            block = []
        block.append(group)
    yield _drawn(labels, block)


def _groups(table: Table, room: int) -> Iterator[Group]:
    """The columns by group; of one that has no `room`, as many as do have it at a time."""
    for _, members in groupby(range(len(table.columns)), key=lambda index: table.columns[index].group):
        group: Group = []
        for index in members:
            member = _member(table, index, first=not group)
            if group and _group_width([*group, member]) > room:
                yield group
                group, member = [], _member(table, index, first=True)
            group.append(member)
        yield group


def _member(table: Table, index: int, first: bool) -> tuple[Text, Column, list[Text]]:
    """A column; a space sets each group apart from the one before it."""
    column, gap = table.columns[index], " " if first else ""
    grouped = any(each.group for each in table.columns)
    heading = Text.assemble((f"{gap}{column.group if first else ''}\n", "bold") if grouped else gap)
    heading.append(gap + column.title, style="dim")
    return heading, column, [_text(gap, row.cells[index]) if row.cells else Text() for row in table.rows]


def _group_width(group: Group) -> int:
    return sum(_width([heading, *cells]) + 1 for heading, _, cells in group)


def _width(texts: list[Text]) -> int:
    return max((len(line) for text in texts for line in text.plain.split("\n")), default=0)


def _drawn(labels: list[Text], groups: list[Group]) -> Drawn:
    drawn = Drawn(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    drawn.add_column("", min_width=_width(labels))
    columns = [column for group in groups for column in group]
    for heading, column, _ in columns:
        drawn.add_column(heading, justify="left" if column.words else "right", overflow="fold")
    for label, *cells in zip(labels, *(cells for _, _, cells in columns), strict=True):
        drawn.add_row(label, *cells)
    return drawn


def _label(row: Row) -> Text:
    return Text(f"{row.label}\n{INDENT}{row.note}", style="dim") if row.note else Text(row.label)


def _text(gap: str, cell: Cell) -> Text:
    text = Text(gap + cell.text, style=STYLES[cell.tone])
    return text.append(f" {cell.detail}", style="dim") if cell.detail else text


def _show_decisions(figures: Figures, console: Console) -> None:
    """Prints the decisions of the first compiler, and what another one decides otherwise."""
    first, *others = {name: decide(figures, name) for name in figures.compilers}.items() or [("", [])]
    compiler, decisions = first
    decided = [each for each in decisions if each.pick]
    if not decided:
        return
    console.rule(Text(f"What to use on this machine, with {compiler} and threads", style="bold"), align="left")
    wide = console.width >= WIDE
    drawn = Drawn(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("need", "pick", "instead of", "time, × that") if wide else ("need", "pick", "time"):
        drawn.add_column(title, header_style="dim", justify="right" if title.startswith("time") else "left")
    for title in ("memory", "locked"):
        drawn.add_column(title, header_style="dim", justify="right")
    for each in decided:
        drawn.add_row(*_row(each, wide))
    console.print(drawn)
    for each in decided:
        if each.pick and each.pick.restrictions:
            console.print(Text(f"{each.need.title}: {_unless(each)}", style="dim"))
    for name, elsewhere in others:
        pairs = zip(decisions, elsewhere, strict=True)
        if different := [_differs(other) for one, other in pairs if _differ(one, other)]:
            console.print(Text(f"With {name} instead: {'; '.join(different)}"))
    if any(each.unsure for each in decided):
        unsure = "?: the noise of this run may explain the gain. Measure again on a quiet machine."
        console.print(Text(unsure, style="yellow"))
    if missing := [
        f"{each.need.title} ({each.missing})" for each in decisions if each.missing and NOT_MEASURED not in each.missing
    ]:
        console.print(Text(f"Not decided: {'; '.join(missing)}", style="dim"))
    console.print(Text("Locked: operations of the pick / of what it replaces. --all prints every table.", style="dim"))


def _row(decision: Decision, wide: bool) -> tuple[Text, ...]:
    pick, replaced = decision.pick, decision.replaced
    assert pick and replaced
    time = "tie" if decision.tie else f"{text.times(pick.ratio)}{'?' if decision.unsure else ''}"
    before = [Text("stay with it" if decision.stay else decision.replaces, style="dim")]
    if wide and not decision.stay:
        time += f" ({text.times(pick.low)}–{text.times(pick.high)})"
    return (
        Text(decision.need.title, style="bold"),
        Text(pick.label, style="bold cyan"),
        *(before if wide else []),
        Text(time),
        Text(_memory(decision), style="yellow" if decision.heavy else ""),
        Text(f"{_locked(pick)} / {_locked(replaced)}"),
    )


def _memory(decision: Decision) -> str:
    if decision.memory is not None:
        return text.times(decision.memory)
    return "small" if decision.kibibytes else ""


def _locked(candidate: Candidate) -> str:
    return text.count(candidate.locked).text


def _unless(decision: Decision) -> str:
    """What must hold for the pick, and the best candidate where it does not."""
    assert decision.pick
    told = ", ".join(decision.pick.restrictions)
    other = decision.otherwise
    if other is None:
        return told
    with_its_own = f" ({', '.join(other.restrictions)})" if other.restrictions else ""
    return f"{told}; else {other.label}{with_its_own}, {text.times(other.ratio)}"


def _differ(one: Decision, other: Decision) -> bool:
    return bool(one.pick and other.pick and one.pick.strategy != other.pick.strategy)


def _differs(decision: Decision) -> str:
    assert decision.pick
    return f"{decision.need.title}: {decision.pick.label} ({text.times(decision.pick.ratio)})"
