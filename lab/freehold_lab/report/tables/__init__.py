"""The tables of a report, worked out once and drawn by the terminal and by HTML alike."""

from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import containers, heap_or_stack, instantiation, memory, operations, programs, sizes
from freehold_lab.report.tables.model import Section


def sections(figures: Figures) -> list[Section]:
    """All tables, in the order in which a reader wants them."""
    pointers = [part.section(figures) for part in (operations, containers, instantiation)]
    others = [part.sections(figures) for part in (programs, sizes, memory, heap_or_stack)]
    return pointers + [section for each in others for section in each]
