"""What a reader must know of a run before believing its figures."""

from freehold_lab.report.decisions import UNSURE
from freehold_lab.report.figures import Figures, Place
from freehold_lab.report.tables.latencies import LATENCY
from freehold_lab.report.tables.model import Cell, Column, Row, Table
from freehold_lab.report.tables.text import times
from freehold_lab.statistics import FEWEST_ROUNDS, control_spread
from freehold_lab.workloads import REFERENCES

ROUNDS_FOR_95_PERCENT = 6
MANY = 0.1  # of all comparisons


def remarks(figures: Figures) -> list[str]:
    """What makes this run less than a whole one, and what it could not measure."""
    result = figures.result
    found = []
    if not result.complete:
        found.append("The run was interrupted: these are the figures so far. ./freehold run resumes it.")
    if result.quick:
        found.append("A quick run: enough to see large differences. ./freehold run measures longer, and more.")
    if 0 < figures.rounds < FEWEST_ROUNDS:
        found.append(f"A ratio needs {FEWEST_ROUNDS} rounds; {figures.rounds} were measured.")
    elif 0 < figures.rounds < ROUNDS_FOR_95_PERCENT:
        found.append(f"With {figures.rounds} rounds an interval is the whole range seen, somewhat less than 95 %.")
    compared = [ratio for (place, _), ratio in figures.ratios.items() if _is_judged(place)]
    ties = [each for each in compared if each.tie and not 1 / UNSURE < each.ratio < UNSURE]
    if len(ties) > MANY * len(compared):
        widest = max(_spreads(figures))
        found.append(
            f"A noisy run: the reference differed from itself by up to {times(widest)} times, and {len(ties)} of "
            f"{len(compared)} comparisons differ by more than a quarter and are ties all the same. Measure again on a "
            "quiet machine."
        )
    return found + result.notes


def _is_judged(place: Place) -> bool:
    """The longest of many operations differs from run to run on the quietest machine."""
    return not LATENCY.fullmatch(place.series)


def _spreads(figures: Figures) -> list[float]:
    return [control_spread(control) for place, control in figures.controls.items() if _is_judged(place)]


def method(figures: Figures) -> list[str]:
    """How the figures came to be, a paragraph each."""
    widest = max(_spreads(figures), default=None)
    seen = f" The widest spread of the control in this run is {times(1 / widest)}–{times(widest)}." if widest else ""
    return [
        "Every time comes from many short processes. Each round launches every strategy once for every workload, "
        "compiler and thread state, in random order. A launch gives the median over batches of 0.1 to 1 ms of thread "
        "CPU time, or of longer batches of wall-clock time where two threads work at once. "
        f"This run has {figures.rounds} rounds.",
        "One thread: no other thread was ever started, so libraries may skip locked instructions. Second thread "
        "started: another thread was started first and sleeps during the measurement.",
        "Initialization and copy are the intercept and slope of a straight line through time over set size. Each "
        "launch has its own line; the figures are the medians over launches, ± two standard deviations, so one "
        "disturbed launch does not move them. An intercept is an extrapolation: a processor overlaps a creation with "
        "locked instructions, so initialization can come out below the cost of new and delete. Look at the smallest "
        "set, too.",
        "A ratio compares a strategy's launch with the reference's of the same round. It is the median over rounds, "
        "with a 95 % bootstrap interval over rounds. ./freehold report FILE --to NAME uses another reference.",
        f"The A/A control is {_references()}, launched a second time in every round as if it were another strategy. "
        "The difference is noise, so a ratio whose interval overlaps the control's (made symmetric around 1) is called "
        f"a tie.{seen}",
        "Instructions and locked read-modify-writes are counted by callgrind: exactly, also on a busy machine.",
        "Peak memory is the largest resident memory beyond that at the start, read in a process of its own.",
        "Memory over time is that of a process of its own, read after each of up to 60 steps, once and with the first "
        "compiler. What reading took is in no figure.",
        "raw and dumb pointers neither share nor count. They show the cost of the loop and of new and delete: subtract "
        "it from the others.",
    ]


def _references() -> str:
    return " or ".join(dict.fromkeys(REFERENCES.values()))


def identities(figures: Figures) -> Table:
    """What each probe said of itself: the library that it was compiled against."""
    found: dict[tuple[str, str], list[str]] = {}
    for identity in figures.result.identities:
        found.setdefault((identity.strategy, identity.library), []).append(identity.compiler)
    return Table(
        subject="Who was measured",
        columns=[Column("library", words=True), Column("compiled by", words=True)],
        rows=[
            Row(strategy.label, [Cell(library), Cell(", ".join(dict.fromkeys(compilers)))], strategy=strategy.name)
            for strategy in figures.strategies
            for (name, library), compilers in found.items()
            if name == strategy.name
        ],
        command="./freehold run",
    )
