"""A page of a report, or of what has grown since an earlier one. It opens offline; it has no script."""

from pathlib import Path
from typing import Any

from freehold_lab.heap.page import signed, signed_size, size
from freehold_lab.owners.answers import saving, words
from freehold_lab.owners.answers.difference import Difference
from freehold_lab.owners.answers.report import Report, Step
from freehold_lab.report import pages

MOST_TYPES = 500
MOST_LEAKS = 100
MOST_LISTED = 30  # in the lists of one kind of figure
MOST_OBJECTS = 100  # that were asked for
MOST_OWNERS = 1000  # of all of these
MOST_STEPS = 16  # of a cycle or path
MOST_LETTERS = 200


def write(report: Report, path: Path) -> None:
    """Raises LabError if the page cannot be written."""
    kept = _asked(report)
    drawn = _render(
        "owners.html.j2",
        report=report,
        about=words.about(report),
        withheld=words.withheld(report),
        leaks=report.leaks[:MOST_LEAKS],
        types=report.types[:MOST_TYPES],
        largest=max([1, *(each.bytes for each in report.types)]),
        leaked=any(each.leaked_bytes for each in report.types),
        expired=words.expired(report)[:MOST_LISTED],
        owned=words.most_owned(report)[:MOST_LISTED],
        asked=kept,
    )
    saving.replace(path, drawn.encode(), saving.PAGE)


def write_difference(difference: Difference, path: Path) -> None:
    """Raises LabError if the page cannot be written."""
    drawn = _render(
        "difference.html.j2",
        old=difference.old,
        new=difference.new,
        difference=difference,
        types=difference.types[:MOST_TYPES],
        leaks=difference.leaks[:MOST_LEAKS],
    )
    saving.replace(path, drawn.encode(), saving.PAGE)


def _render(template: str, **content: Any) -> str:
    environment = pages.environment("freehold_lab.owners.answers")
    environment.filters |= {
        "size": size,
        "signed": signed,
        "signed_size": signed_size,
        "plain": words.plain,
        "name": lambda name: words.short(name, MOST_LETTERS),
        "count": "{:,}".format,
        "counted": words.counted,
        "objects": lambda types: words.objects(types, MOST_LETTERS),
        "steps": _steps,
    }
    environment.globals |= {"words": words, "mark": saving.PAGE.decode()}
    return environment.get_template(template).render(content)


def _steps(steps: list[Step]) -> list[Step]:
    """Returns the steps that are drawn: of a long cycle its begin and its end."""
    if len(steps) <= MOST_STEPS:
        return steps
    half = MOST_STEPS // 2
    return [*steps[:half], Step(f"{words.CUT} {len(steps) - 2 * half:,} more {words.CUT}"), *steps[-half:]]


def _asked(report: Report) -> list[tuple[Any, list[Any]]]:
    """Returns the objects that were asked for, with the owners that are listed."""
    left = MOST_OWNERS
    found = []
    for each in report.asked[:MOST_OBJECTS]:
        found.append((each, each.handles[:left]))
        left -= min(left, len(each.handles))
    return found
