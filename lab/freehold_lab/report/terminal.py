"""Draws a result in the terminal. What to use comes last, where the eye is when the run has ended."""

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.table import Table as Drawn
from rich.text import Text

from freehold_lab.model import Result
from freehold_lab.report.about import remarks
from freehold_lab.report.figures import Figures
from freehold_lab.report.summary import Question, questions
from freehold_lab.report.tables import sections
from freehold_lab.report.tables.model import Cell, Column, Row, Section, Table, Tone

STYLES = {Tone.PLAIN: "", Tone.MUTED: "dim", Tone.FASTER: "cyan", Tone.SLOWER: "yellow"}  # told apart by every eye
INDENT = "  "
Group = list[tuple[Text, Column, list[Text]]]  # heading, column and cells of columns that stay together


def show(result: Result, console: Console) -> None:
    """Prints every table that `result` has figures for, its remarks, and what to use."""
    figures = Figures(result)
    for section in sections(figures):
        if section.tables:
            show_section(section, console)
    console.print()
    for remark in remarks(figures):
        console.print(Text(remark, style="yellow"))
    _show_summary(questions(figures), console)


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
    for group in _groups(table):
        wanted = _width(labels) + sum(_group_width(each) for each in [*block, group])
        if block and wanted > width:
            yield _drawn(labels, block)
            block = []
        block.append(group)
    yield _drawn(labels, block)


def _groups(table: Table) -> Iterator[Group]:
    """The columns by group; a space sets each group apart from the one before it."""
    grouped = any(column.group for column in table.columns)
    for name, members in groupby(enumerate(table.columns), key=lambda member: member[1].group):
        group: Group = []
        for index, column in members:
            gap = "" if group else " "
            heading = Text.assemble((f"{gap}{'' if group else name}\n", "bold") if grouped else gap)
            heading.append(gap + column.title, style="dim")
            cells = [_text(gap, row.cells[index]) if row.cells else Text() for row in table.rows]
            group.append((heading, column, cells))
        yield group


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


def _show_summary(asked: list[Question], console: Console) -> None:
    if not asked:
        return
    console.print()
    console.rule(Text("What to use on this machine", style="bold"), align="left")
    for question in asked:
        console.print(Text(question.text, style="bold"))
        answers = Drawn.grid(padding=(0, 2, 0, 0))
        answers.add_column(no_wrap=True)
        for answer in question.answers:
            words = Text.assemble((answer.verdict.winner, "bold cyan"), f": {answer.verdict.words}")
            answers.add_row(Text(INDENT + answer.where), words)
        console.print(answers)
