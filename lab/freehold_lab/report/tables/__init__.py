"""The tables of a report, worked out once and drawn by the terminal and by HTML alike."""

from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import (
    code_size,
    containers,
    data_size,
    heap_or_stack,
    instantiation,
    memory,
    operations,
    programs,
)
from freehold_lab.report.tables.model import Section


def sections(figures: Figures) -> list[Section]:
    """All tables, in the order in which a reader wants them."""
    operating = [part.section(figures) for part in (operations, containers, instantiation)]
    sizes = [part.section(figures) for part in (code_size, data_size)]
    return operating + programs.sections(figures) + sizes + memory.sections(figures) + heap_or_stack.sections(figures)
