"""The tree of calls as a picture: each call is as wide as the bytes that were allocated beneath it."""

from collections import defaultdict

from freehold_lab.advise.analysis.naming import Names, without_arguments
from freehold_lab.advise.analysis.summary import Node, Summary
from freehold_lab.heap.page import size
from freehold_lab.report import boxes

LEAST_SHARE = 0.002  # of all bytes
Calls = dict[int, list[Node]]  # by the number of the node above


def part(summary: Summary, names: Names) -> boxes.Part:
    """Returns all calls as parts of the whole."""
    calls: Calls = defaultdict(list)
    for node in summary.nodes:
        if node.bytes >= LEAST_SHARE * summary.bytes:
            calls[node.parent].append(node)
    return boxes.Part("all", f"all: {size(summary.bytes)}", summary.bytes, _below([0], calls, names, 1))


def _below(above: list[int], calls: Calls, names: Names, line: int) -> list[boxes.Part]:
    """Returns a part for each function that is called there, from however many places."""
    functions: dict[str, list[Node]] = defaultdict(list)
    for number in above if line < boxes.MOST_LINES else []:
        for node in calls[number]:
            functions[without_arguments(names.function(node.place))].append(node)
    parts = [_part(name, nodes, calls, names, line) for name, nodes in functions.items()]
    return sorted(parts, key=lambda each: -each.weight)


def _part(name: str, nodes: list[Node], calls: Calls, names: Names, line: int) -> boxes.Part:
    weight, blocks = sum(each.bytes for each in nodes), sum(each.blocks for each in nodes)
    below = _below([each.number for each in nodes], calls, names, line + 1)
    return boxes.Part(name, f"{name}: {size(weight)} in {blocks:,} blocks", weight, below)
