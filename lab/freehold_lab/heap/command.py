"""Reads one or two snapshots, prints the types, and writes the page."""

from pathlib import Path

from rich.console import Console

from freehold_lab.errors import LabError
from freehold_lab.heap import page, paths, snapshot
from freehold_lab.report import terminal
from freehold_lab.report.tables.model import Cell, Column, Row, Section, Table

MOST_TYPES = 20
MOST_OBJECTS = 20


def show(files: list[Path], output: Path | None) -> None:
    """Raises LabError if a file is no snapshot, or the page cannot be written."""
    if len(files) > 2:
        raise LabError("heap takes one snapshot, or two to compare")
    contents = [paths.content(snapshot.read(file)) for file in files]
    before = contents[0] if len(contents) == 2 else None
    written = output or files[-1].with_suffix(".html")
    page.write(before, contents[-1], written)
    terminal.show_section(section(before, contents[-1], files), Console())
    print(f"the page: {written}")


def section(before: paths.Content | None, after: paths.Content, files: list[Path]) -> Section:
    lines = page.lines(before, after)
    changed = [each for each in lines if not before or each.more != paths.Count()][:MOST_TYPES]
    sign = page.signed if before else "{:,}".format
    size = page.signed_size if before else page.size
    rows = []
    for each in changed:
        count = each.more if before else each.now
        figures = [sign(count.objects), size(count.bytes), size(count.external_bytes), sign(count.garbage)]
        rows.append(Row(each.name, [Cell(text) for text in figures]))
    columns = [Column(title) for title in ("objects", "in the heap", "outside", "garbage")]
    title = f"What the {after.heap} has more than before" if before else f"What is in the {after.heap}"
    command = f"./freehold heap {' '.join(str(file) for file in files)}"
    tables = [Table("Types", columns, rows, command), *retained_tables(after, command)]
    return Section(workload="heap", title=title, legend=[], tables=tables)


def retained_tables(content: paths.Content, command: str) -> list[Table]:
    """Returns a table of the objects with which most would be freed, if the snapshot tells that."""
    if content.retained is None:
        return []
    rows = []
    for each in content.retained.largest[:MOST_OBJECTS]:
        figures = [page.size(each.retained.bytes), f"{each.retained.objects:,}", page.size(each.own_bytes)]
        rows.append(Row(each.name, [Cell(text) for text in figures]))
    columns = [Column(title) for title in ("retains", "in objects", "itself")]
    return [Table("What would be freed with an object", columns, rows, command)]
