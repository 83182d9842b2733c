"""From an image to a report."""

from typing import TYPE_CHECKING

from freehold_lab.errors import LabError
from freehold_lab.owners.answers.report import Report, about

if TYPE_CHECKING:
    from freehold_lab.owners.image.memory import Image

NOTHING = "No object is owned by shared pointers of std, Boost or Freehold."


def take(image: "Image", who: str = "") -> Report:
    """Returns who owns what in the image. Raises LabError if `who` is not in it."""
    from freehold_lab.owners.analysis import analyze
    from freehold_lab.owners.answers import building

    analysis = analyze(image)
    if analysis:
        return building.build(analysis, who)
    if who:
        raise LabError(f"no object in {image.source} is owned together")
    return _nothing(image)


def _nothing(image: "Image") -> Report:
    """Returns the report of an image in which no object is owned together, as at the end of a program without leaks."""
    return Report(
        **about(image),
        allocator="",
        owners=0,
        explained=1,
        unknown=0,
        doubts=[],
        notes=[NOTHING, *image.notes],
        types=[],
        leaks=[],
    )
