"""At most five changes, each with what it is predicted to bring, why, what would refute it, and the lines to write."""

from dataclasses import dataclass

from freehold_lab.advise import confirming
from freehold_lab.advise.answers.predictions import Prediction
from freehold_lab.advise.changes.candidate import Candidate
from freehold_lab.advise.replay.replaying import Allocator

LEAST_SAVED = 0.01  # of the program's instructions, at the worse end of the interval
LEAST_FREED = 0.1  # of the heap's peak
MOST = 5


@dataclass(frozen=True)
class Advice:
    change: str
    predicted: Prediction
    evidence: str
    refuted_by: str
    lines: tuple[str, ...]  # to write
    confirm: str  # a command
    is_of_source: bool = True  # the program must be changed


def choose(
    allocators: list[tuple[Allocator, Prediction]],
    changes: list[tuple[Candidate, Prediction]],
    peak: int,
    command: str,
) -> list[Advice]:
    """Returns the advice worth giving: the best allocator for instructions, that for memory, and changes of sites, of
    which no two are about the same blocks."""
    faster = [each for each in allocators if _saves(each[1])]
    smaller = [each for each in allocators if each[1].peak.high < -LEAST_FREED * peak]
    chosen = {}
    if faster:
        best = min(faster, key=lambda each: each[1].instructions.value)
        chosen[best[0].name] = best
    if smaller:
        best = min(smaller, key=lambda each: each[1].peak.value)
        chosen[best[0].name] = best
    found = [_of_allocator(*each, command) for each in chosen.values()]
    taken: set[int] = set()
    for candidate, predicted in sorted(changes, key=lambda each: each[1].instructions.value):
        if _saves(predicted) and not taken & candidate.sites:
            taken |= candidate.sites
            found.append(_of_change(candidate, predicted, command))
    return sorted(found, key=lambda each: each.predicted.instructions.value)[:MOST]


def _of_change(candidate: Candidate, predicted: Prediction, command: str) -> Advice:
    return Advice(
        change=candidate.change,
        predicted=predicted,
        evidence=candidate.evidence,
        refuted_by=candidate.refuted_by,
        lines=candidate.lines,
        confirm=confirming.command("CHANGED", predicted.instructions, command),
    )


def _of_allocator(allocator: Allocator, predicted: Prediction, command: str) -> Advice:
    return Advice(
        change=f"{allocator.name} as the program's allocator",
        predicted=predicted,
        evidence="every call was replayed, in one thread",
        refuted_by="other input; and time may change otherwise, which no replay predicts",
        lines=(f"LD_PRELOAD={allocator.preload}",),
        confirm=confirming.command(allocator.preload, predicted.instructions, command),
        is_of_source=False,
    )


def _saves(predicted: Prediction) -> bool:
    return predicted.instructions.high <= -LEAST_SAVED
