"""A page of a report. It opens offline; it has no script."""

from pathlib import Path

from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.analysis.summary import KINDS, Node, Summary
from freehold_lab.advise.answers import flames, functions, sentences, terminal, timeline
from freehold_lab.advise.answers.functions import Function
from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.answers.sites import Group
from freehold_lab.advise.changes import arenas
from freehold_lab.heap.page import size
from freehold_lab.owners.answers import saving
from freehold_lab.owners.answers.words import plain
from freehold_lab.report import boxes, pages

MARK = b'<meta name="generator" content="freehold advise">'
MOST_SITES = 1000
MOST_FUNCTIONS = 200
MOST_BATCHES = 20
Row = tuple[str, list[str]]


def write(report: Report, path: Path) -> None:
    """Raises LabError if the page cannot be written."""
    found = report.summary
    names = Names(found.modules)
    environment = pages.environment("freehold_lab.advise.answers")
    environment.filters |= {"plain": plain}
    drawn = environment.get_template("advise.html.j2").render(
        mark=MARK.decode(),
        program=report.recording.command[0],
        about=sentences.about(report),
        verdict=sentences.verdict(report) if report.bound else "",
        notes=report.notes,
        allocators=terminal.allocators(report) if report.predictions or report.times else None,
        advice=report.advice,
        without_advice=sentences.without_advice(report),
        rough=sentences.rough(report, MOST_SITES),
        timeline=timeline.draw(found, report.recording.seconds) if found.timeline else "",
        calls=boxes.draw(flames.part(found, names)),
        width=boxes.WIDTH,
        line_height=boxes.HEIGHT,
        sites=[_site(report, each) for each in report.sites[:MOST_SITES]],
        left=[_left(each) for each in report.sites if each.left_bytes][:MOST_SITES],
        functions=[_function(each) for each in functions.find(found, names)[:MOST_FUNCTIONS]],
        batches=_batches(found, names),
        sizes=_sizes(found),
        kinds=[(name, [f"{count:,}"]) for name, count in zip(KINDS, found.kinds, strict=True) if count],
    )
    saving.replace(path, drawn.encode(), MARK)


def _site(report: Report, group: Group) -> Row:
    figures = (group.bytes, group.at_peak, group.left_bytes)
    lifetime = group.median_lifetime
    return " < ".join(group.functions), [
        f"{group.blocks:,}",
        *map(size, figures),
        "" if lifetime is None else size(lifetime),
        terminal.stack_order(report, group),
        terminal.share(group.by_others, group.freed),
    ]


def _left(group: Group) -> Row:
    return " < ".join(group.functions), [size(group.left_bytes), f"{group.blocks - group.freed:,}"]


def _function(each: Function) -> Row:
    return each.name, [f"{each.blocks:,}", size(each.bytes), f"{each.own:,}"]


def _batches(summary: Summary, names: Names) -> list[Row]:
    good = [each for each in summary.nodes if each.batches and arenas.blocks_in_batch(each) >= arenas.LEAST_IN_BATCH]
    largest = sorted(good, key=lambda each: -each.blocks)[:MOST_BATCHES]
    return [(names.function(each.place), _batch(each)) for each in largest]


def _batch(node: Node) -> list[str]:
    return [f"{node.blocks:,}", f"{node.batches:,}", *map(size, (node.most_bytes, node.most_live, node.price))]


def _sizes(summary: Summary) -> list[Row]:
    whole = sum(summary.sizes)
    return [
        (f"up to {size(1 << power)}", [f"{blocks:,}", terminal.share(blocks, whole)])
        for power, blocks in enumerate(summary.sizes)
        if blocks
    ]
