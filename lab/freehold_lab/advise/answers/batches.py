"""Calls beneath which all blocks die together, again and again: where an arena could be."""

from pathlib import Path

from freehold_lab.advise.analysis.summary import Node, Place, Summary

LEAST_SHARE = 0.05  # of all blocks
LEAST_MADE = 0.95  # of the call's, by operator new: a resource is for C++
LEAST_IN_BATCH = 32  # blocks
MOST_PRICE = 0.5  # bytes that an arena needs more, as a share of the program's peak
LEAST_PRICE = 1 << 20  # bytes, which are no matter
SAME = 0.98  # of the outer call's blocks: the inner call is the better place
MOST = 3


def candidates(summary: Summary) -> list[Node]:
    """Returns calls, those with the most blocks first; none is beneath another."""
    nodes = {each.number: each for each in summary.nodes}
    good = [each for each in summary.nodes if _is_good(each, summary)]
    found: list[Node] = []
    for each in sorted(good, key=lambda each: (-each.blocks, each.number)):
        outer = next((at for at, other in enumerate(found) if _is_beneath(each, other.number, nodes)), None)
        if outer is None:
            found.append(each)
        elif each.blocks >= SAME * found[outer].blocks:
            found[outer] = each
    return found[:MOST]


def place(node: Node, summary: Summary) -> Place:
    """Returns where the arena could be: the call or, where that is main's, the call in main with the most blocks."""
    module = node.place[0]
    if module < 0 or not Path(summary.modules[module]).name.startswith("libc.so"):
        return node.place
    inner = [each for each in summary.nodes if each.parent == node.number]
    return max(inner, key=lambda each: each.blocks, default=node).place


def blocks_in_batch(node: Node) -> float:
    return node.blocks / (node.batches + (node.left > 0))


def _is_good(node: Node, summary: Summary) -> bool:
    return (
        node.blocks >= LEAST_SHARE * summary.allocations
        and node.made >= LEAST_MADE * node.blocks
        and blocks_in_batch(node) >= LEAST_IN_BATCH
        and node.price <= max(MOST_PRICE * summary.most_bytes, LEAST_PRICE)
        and node.by_others == 0
        and not node.is_recursive
    )


def _is_beneath(node: Node, other: int, nodes: dict[int, Node]) -> bool:
    at = node.parent
    while at and at != other:
        at = nodes[at].parent
    return at == other
