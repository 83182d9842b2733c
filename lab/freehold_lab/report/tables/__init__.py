"""The tables of a report, worked out once and drawn by the terminal and by HTML alike."""

from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import (
    common,
    containers,
    heap_or_stack,
    instantiation,
    operations,
    programs,
    sizes,
    timelines,
)
from freehold_lab.report.tables.model import Section
from freehold_lab.workloads import WORKLOADS


def sections(figures: Figures) -> list[Section]:
    """All tables, in the order of the workloads."""
    found = [part.section(figures) for part in (operations, containers, instantiation)]
    for part in (programs, sizes, common, heap_or_stack, timelines):
        found += part.sections(figures)
    return sorted(found, key=lambda section: WORKLOADS.index(section.workload))
