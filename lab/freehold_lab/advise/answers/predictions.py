"""What a program would take with another allocator, with the interval that it is expected in."""

from dataclasses import dataclass

from freehold_lab.advise.interval import Interval
from freehold_lab.advise.replay.replaying import Replayed

OF_CHANGE, OF_PROGRAM = 0.05, 0.003  # how far a prediction of instructions may be off: the larger of the two
OF_SITE = 0.2  # because the code around it is written anew
OF_PEAK, LEAST_PEAK = 0.05, 2_000_000  # and one of memory, in bytes


@dataclass(frozen=True)
class Prediction:
    name: str
    instructions: Interval  # more than with the C library's allocator; shares of the program
    peak: Interval  # bytes more


def of(other: Replayed, usual: Replayed, program_instructions: int) -> Prediction:
    """Returns what is predicted with another allocator."""
    return _of(other, usual, program_instructions, other.instructions - usual.instructions, OF_CHANGE)


def of_site(changed: Replayed, usual: Replayed, program_instructions: int, besides: Interval) -> Prediction:
    """Returns what is predicted of a change of a site, which saves some instructions besides those of allocation."""
    more = changed.instructions - usual.instructions
    most, middle, least = (
        _of(changed, usual, program_instructions, more - each, OF_SITE)
        for each in (besides.high, besides.value, besides.low)
    )
    change = Interval(most.instructions.low, middle.instructions.value, least.instructions.high)
    return Prediction(middle.name, change, middle.peak)


def _of(other: Replayed, usual: Replayed, program_instructions: int, more: float, of_change: float) -> Prediction:
    change = more / program_instructions
    peak = other.memory.whole - usual.memory.whole
    return Prediction(
        other.allocator.name,
        Interval.around(change, max(abs(change) * of_change, OF_PROGRAM)),
        Interval.around(peak, max(max(usual.memory.whole, other.memory.whole) * OF_PEAK, LEAST_PEAK)),
    )
