"""Calls beneath which all blocks die together, again and again: where an arena could be."""

from pathlib import Path

from freehold_lab.advise.analysis.naming import Names, without_arguments
from freehold_lab.advise.analysis.summary import Node, Place, Summary
from freehold_lab.advise.changes.candidate import Candidate
from freehold_lab.heap.page import size

LEAST_SHARE = 0.05  # of all blocks
LEAST_MADE = 0.95  # of the call's, by operator new: a resource is for C++
LEAST_BATCHES = 2  # one is the whole program, in which nothing can be freed at once
LEAST_IN_BATCH = 32  # blocks
MOST_PRICE = 0.5  # bytes that an arena needs more, as a share of the program's peak
LEAST_PRICE = 1 << 20  # bytes, which are no matter
SAME = 0.98  # of the outer call's blocks: the inner call is the better place
MOST = 3


def candidates(summary: Summary, names: Names) -> list[Candidate]:
    nodes = calls(summary)
    places = [place(each, summary) for each in nodes]
    names.look_up_lines(places)
    found = [each for each in zip(nodes, places, strict=True) if not names.is_of_library(each[1])]
    numbered = {each.number: each for each in summary.nodes}
    return [_candidate(*each, summary, numbered, names) for each in found]


def calls(summary: Summary) -> list[Node]:
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
    return node.blocks / _count(node)


def _count(node: Node) -> int:
    """Returns the number of batches, with one that goes on at the end."""
    return node.batches + (node.left > 0)


def _is_good(node: Node, summary: Summary) -> bool:
    return (
        node.blocks >= LEAST_SHARE * summary.allocations
        and node.made >= LEAST_MADE * node.blocks
        and node.batches >= LEAST_BATCHES
        and blocks_in_batch(node) >= LEAST_IN_BATCH
        and node.price <= max(MOST_PRICE * summary.most_bytes, LEAST_PRICE)
        and node.by_others == 0
        and not node.is_recursive
    )


def _is_beneath(node: Node, other: int, nodes: dict[int, Node]) -> bool:
    return _is_in(other, node.parent, nodes)


def _is_in(outer: int, at: int, nodes: dict[int, Node]) -> bool:
    while at and at != outer:
        at = nodes[at].parent
    return at == outer


def _candidate(node: Node, where: Place, summary: Summary, nodes: dict[int, Node], names: Names) -> Candidate:
    function, line = names.where(where)
    return Candidate(
        change=f"a freehold::monotonic_resource for what {without_arguments(function)} ({line}) allocates",
        replayed=("arena", str(node.number)),
        sites=frozenset(each.number for each in summary.sites if _is_in(node.number, each.node, nodes)),
        evidence=f"{node.blocks:,} blocks in {_count(node):,} batch{'es' * (_count(node) != 1)}, in which all die "
        f"together; a batch allocates at most {size(node.most_bytes)}, and {size(node.most_live)} live at once",
        refuted_by="an object that is moved or swapped into what outlives the batch, which no recording shows: "
        "test the change under -fsanitize=address",
        lines=(
            "#include <freehold/memory/monotonic_resource.hpp>",
            "freehold::monotonic_resource memory;  // lives as long as a batch: in the call, or in what owns it",
            "std::pmr::vector<T> values(&memory);  // and the other containers of std::pmr",
        ),
    )
