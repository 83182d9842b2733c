"""From an analysis to what is told of it."""

import numpy as np

from freehold_lab.owners.analysis import Analysis
from freehold_lab.owners.answers import asking, cycles
from freehold_lab.owners.answers.places import Places
from freehold_lab.owners.answers.report import GRADES, Report, Type, about
from freehold_lab.owners.graph.kinds import Kind
from freehold_lab.owners.graph.reach import Grade
from freehold_lab.owners.graph.words import Region
from freehold_lab.owners.image.memory import Addresses


def build(analysis: Analysis, asked: str = "") -> Report:
    """Raises LabError if an object is asked for that is not there."""
    image, blocks = analysis.image, analysis.blocks
    places = Places(analysis)
    unknown = (analysis.kinds == Kind.UNKNOWN) & (analysis.handles.region != Region.DEAD)
    return Report(
        **about(image),
        allocator=analysis.allocator,
        owners=int(blocks.owners.sum()),
        explained=round(analysis.explained, 5),
        unknown=int(unknown.sum()),
        doubts=analysis.doubts,
        notes=analysis.notes,
        types=_types(analysis, places),
        leaks=cycles.leaks(analysis, places),
        asked=asking.find(analysis, places, asked) if asked else [],
    )


def _types(analysis: Analysis, places: Places) -> list[Type]:
    blocks, count = analysis.blocks, len(places.type_of_block)
    sizes = _sizes(analysis)

    def total(figures: Addresses, which: Addresses) -> Addresses:
        return np.bincount(places.types[which], weights=figures[which], minlength=count).astype(np.int64)

    every = np.arange(len(blocks))
    is_leaked = (analysis.grade != Grade.HELD) & (analysis.grade != Grade.EXPIRED)
    leaked, expired = np.flatnonzero(is_leaked), np.flatnonzero(analysis.grade == Grade.EXPIRED)
    objects = np.bincount(places.types, minlength=count)
    columns = [total(each, every) for each in (sizes, blocks.owners, blocks.weak)]
    columns += [total(sizes, leaked), total(sizes, expired)]
    grades = np.bincount(places.types * len(GRADES) + analysis.grade, minlength=count * len(GRADES))
    grades = grades.reshape(count, len(GRADES))
    told = [
        Type(
            name=places.type_of_block[each],
            objects=int(objects[each]),
            bytes=int(columns[0][each]),
            owners=int(columns[1][each]),
            weak=int(columns[2][each]),
            grades={name: int(number) for name, number in zip(GRADES, grades[each], strict=True) if number},
            leaked_bytes=int(columns[3][each]),
            expired_bytes=int(columns[4][each]),
        )
        for each in range(count)
    ]
    return sorted(told, key=lambda each: (-each.bytes, each.name))


def _sizes(analysis: Analysis) -> Addresses:
    """Returns the bytes of each control block with its object."""
    length = analysis.nodes.ends - analysis.nodes.starts
    sizes = length[analysis.nodes.of_block]
    beside = np.flatnonzero((analysis.object_node >= 0) & ~analysis.blocks.houses)
    sizes[beside] += length[analysis.object_node[beside]]
    return sizes
