"""At most three changes, each with what it is predicted to bring, why, and what would refute it."""

from dataclasses import dataclass

from freehold_lab.advise import confirming
from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.analysis.summary import Node, Place
from freehold_lab.advise.answers.predictions import Prediction
from freehold_lab.advise.answers.sites import without_arguments
from freehold_lab.advise.replay.replaying import Allocator
from freehold_lab.heap.page import size

LEAST_SAVED = 0.01  # of the program's instructions, at the worse end of the interval
LEAST_FREED = 0.1  # of the heap's peak
MOST = 3


@dataclass(frozen=True)
class Advice:
    change: str
    predicted: Prediction
    evidence: str
    refuted_by: str
    confirm: str  # a command


def choose(
    allocators: list[tuple[Allocator, Prediction]], arenas: list[Advice], peak: int, command: str
) -> list[Advice]:
    """Returns the advice worth giving: the best allocator for instructions, that for memory, and the arenas."""
    found = [each for each in arenas if _saves(each.predicted)]
    faster = [each for each in allocators if _saves(each[1])]
    smaller = [each for each in allocators if each[1].peak.high < -LEAST_FREED * peak]
    chosen = {}
    if faster:
        best = min(faster, key=lambda each: each[1].instructions.value)
        chosen[best[0].name] = best
    if smaller:
        best = min(smaller, key=lambda each: each[1].peak.value)
        chosen[best[0].name] = best
    found += [_of_allocator(*each, command) for each in chosen.values()]
    return sorted(found, key=lambda each: each.predicted.instructions.value)[:MOST]


def of_arena(node: Node, place: Place, names: Names, predicted: Prediction, command: str) -> Advice:
    function, line = names.where(place)
    return Advice(
        change=f"a freehold::monotonic_resource in {without_arguments(function)} ({line})",
        predicted=predicted,
        evidence=f"{node.blocks:,} blocks in {node.batches + (node.left > 0):,} batches, in which all die together; "
        f"a batch allocates at most {size(node.most_bytes)}, and {size(node.most_live)} live at once",
        refuted_by="an object that is moved or swapped into what outlives the batch, which no recording shows: "
        "test the change under -fsanitize=address",
        confirm=confirming.command("CHANGED", predicted.instructions, command),
    )


def _of_allocator(allocator: Allocator, predicted: Prediction, command: str) -> Advice:
    return Advice(
        change=f"{allocator.name} as the program's allocator",
        predicted=predicted,
        evidence="every call was replayed, in one thread",
        refuted_by="other input; and time may change otherwise, which no replay predicts",
        confirm=confirming.command(allocator.preload, predicted.instructions, command),
    )


def _saves(predicted: Prediction) -> bool:
    return predicted.instructions.high <= -LEAST_SAVED
