"""What a program would take with another allocator, with the interval that it is expected in."""

from dataclasses import dataclass

from freehold_lab.advise.answers.bound import Program
from freehold_lab.advise.interval import NOTHING, Interval
from freehold_lab.advise.replay.replaying import Replayed

OF_CHANGE, OF_PROGRAM = 0.05, 0.003  # how far a prediction of instructions may be off: the larger of the two
OF_SITE = 0.2  # because the code around it is written anew
OF_PEAK, LEAST_PEAK = 0.05, 2_000_000  # and one of memory, in bytes


@dataclass(frozen=True)
class Prediction:
    name: str
    instructions: Interval  # more than with the C library's allocator; shares of the program
    peak: Interval  # bytes more


def of(other: Replayed, usual: Replayed, program: Program, bound: float) -> Prediction:
    """Returns what is predicted with another allocator. `bound`: all that allocation is, as a share of the program."""
    return _of(other, usual, program, bound, NOTHING, OF_CHANGE)


def of_site(changed: Replayed, usual: Replayed, program: Program, bound: float, besides: Interval) -> Prediction:
    """Returns what is predicted of a change of a site, which saves some instructions besides those of allocation."""
    return _of(changed, usual, program, bound, besides, OF_SITE)


def _of(
    other: Replayed, usual: Replayed, program: Program, bound: float, besides: Interval, of_change: float
) -> Prediction:
    most, middle, least = (
        (other.instructions - usual.instructions - each) / program.instructions
        for each in (besides.high, besides.value, besides.low)
    )
    low = most - max(abs(most) * of_change, OF_PROGRAM)
    high = least + max(abs(least) * of_change, OF_PROGRAM)
    peak = other.memory.whole - usual.memory.whole
    return Prediction(
        other.allocator.name,
        Interval(low, middle, high).at_least(-bound - besides.high / program.instructions),
        Interval.around(peak, max(program.usage.peak * OF_PEAK, LEAST_PEAK)),
    )
