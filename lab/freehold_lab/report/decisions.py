"""What to use for each need: read from the figures by one rule.

The fastest candidate is the pick. Of candidates within noise of it (but not far from it), or within a twentieth, it is
the one with the fewest restrictions, then the smallest.
"""

import math
from dataclasses import dataclass, field

from freehold_lab import needs, statistics
from freehold_lab.model import State
from freehold_lab.needs import Need
from freehold_lab.report.figures import Figures, Panel, Place
from freehold_lab.statistics import Interval
from freehold_lab.workloads import ALL, ONLY_WHOLE, PROGRAMS, THREADS

WORTH = 1.05  # less is not worth a restriction
UNSURE = 1.25  # noise ties no candidates that differ by more: the pick is then unsure
RULE = (
    "The pick is the fastest. Of candidates within 5 % of it, or within the noise of the run and 25 %, it is the one "
    "with the fewest restrictions, then the smallest. The other candidate named is for programs that cannot meet the "
    "pick's restrictions. A question mark: the noise of the run may explain the gain."
)
BYTES_OF_A_RATIO = 1 << 20  # of less memory, pages and a resource's first chunk would be the ratio
HEAVY = 2
NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Candidate:
    """A strategy at a need. Ratios are to what it would replace, with a 95 % interval; `memory` is in bytes. `label` is
    what users call it."""

    strategy: str
    label: str
    ratio: float
    low: float
    high: float
    memory: float | None
    locked: float | None
    restrictions: list[str]


@dataclass(frozen=True)
class Decision:
    """What to use for `need`. Where nothing was decided, `missing` says why, and all that follows is empty.
    A `tie` takes as long as what it would replace; `unsure` is a difference that the noise of the run may explain.
    `where` is the point that decides. `otherwise` is for those who cannot meet the pick's restrictions, `beside` are
    all other candidates, the fastest first.
    """

    need: Need
    replaces: str
    where: str = ""
    missing: str = ""
    pick: Candidate | None = None
    replaced: Candidate | None = None
    otherwise: Candidate | None = None
    tie: bool = False
    unsure: bool = False
    beside: list[Candidate] = field(default_factory=list)

    @property
    def stay(self) -> bool:
        """Whether the pick is what it would replace."""
        return self.pick is not None and self.pick is self.replaced

    @property
    def memory(self) -> float | None:
        """The ratio of the bytes, unless they are too few for one."""
        if not self.pick or not self.replaced or self.pick.memory is None or not self.replaced.memory:
            return None
        if self.need.memory == "peak" and self.replaced.memory < BYTES_OF_A_RATIO:
            return None
        return self.pick.memory / self.replaced.memory

    @property
    def kibibytes(self) -> tuple[float, float] | None:
        """The peak memory of the pick and of what it replaces, where they are too few for a ratio."""
        if self.memory is not None or not self.pick or not self.replaced:
            return None
        if self.pick.memory is None or self.replaced.memory is None:
            return None
        return self.pick.memory / 1024, self.replaced.memory / 1024

    @property
    def heavy(self) -> bool:
        """Whether the pick takes much more memory, and not only a first chunk."""
        if self.memory is None or not self.pick or not self.pick.memory:
            return False
        return self.memory > HEAVY and (self.need.memory == "object" or self.pick.memory > BYTES_OF_A_RATIO)

    @property
    def locked_per(self) -> str:
        """What the locked operations are counted for."""
        subject = ALL[self.need.workload]
        one = "owner" if subject.x == THREADS else subject.x.removesuffix("s")
        return subject.per or ("run" if subject.kind == "program" else one)

    @property
    def write(self) -> str:
        return needs.USES[self.pick.strategy].write if self.pick else ""

    @property
    def page(self) -> str:
        return needs.USES[self.pick.strategy].page if self.pick else ""


def decide(figures: Figures, compiler: str, state: State = State.THREADED) -> list[Decision]:
    """Returns a decision for every need, for programs built with `compiler` and in the thread state `state`."""
    return [_decide(figures, need, Panel(compiler, state)) for need in needs.ALL]


def _decide(figures: Figures, need: Need, panel: Panel) -> Decision:
    replaces = needs.USES[need.replaces].name
    place = _place(figures, need, panel)
    if place is None:
        short = figures.result.quick and need.workload in ONLY_WHOLE
        return Decision(need, replaces, missing="measured in a whole run only" if short else NOT_MEASURED)
    if not figures.is_timed(place, need.replaces):
        return Decision(need, replaces, missing=f"{replaces} was not measured")
    ratios = figures.ratios_to(need.replaces, place, need.candidates) | {need.replaces: (1.0, 1.0, 1.0)}
    found = {name: _candidate(figures, need, place, name, ratios[name]) for name in need.candidates if name in ratios}
    if len(found) == 1:
        return Decision(need, replaces, missing="too few rounds, or candidates")
    ordered = sorted(found.values(), key=lambda each: each.ratio)
    pick, replaced = _best(figures, place, ordered), found[need.replaces]
    if pick.ratio >= 1 and len(replaced.restrictions) <= len(pick.restrictions):
        pick = replaced  # noise can tie a candidate with the fastest that gains nothing itself
    spread = _spread(figures, place)
    where = f"{ALL[need.workload].title}: {need.series}, {ALL[need.workload].at(place.x)}"
    within_noise = pick.low <= spread and pick.high >= 1 / spread
    tie = within_noise and 1 / UNSURE <= pick.ratio <= UNSURE
    return Decision(
        need,
        replaces,
        where,
        pick=pick,
        replaced=replaced,
        otherwise=_otherwise(figures, place, ordered, pick) if pick.restrictions else None,
        tie=tie,
        unsure=within_noise and not tie,
        beside=[each for each in ordered if each is not pick],
    )


def _place(figures: Figures, need: Need, panel: Panel) -> Place | None:
    """Where the candidates are compared. What several threads do is of the second state only."""
    for each in (panel, panel._replace(state=State.THREADED)):
        places = [place for place in figures.places(need.workload, each) if place.series == need.series]
        if places:
            return min(places, key=lambda place: abs(place.x - need.x) if need.x else -place.x)
    return None


def _candidate(figures: Figures, need: Need, place: Place, strategy: str, ratio: Interval) -> Candidate:
    return Candidate(
        strategy,
        needs.USES[strategy].name,
        *ratio,
        memory=_memory(figures, need, place, strategy),
        locked=_locked(figures, place, strategy),
        restrictions=need.candidates[strategy],
    )


def _locked(figures: Figures, place: Place, strategy: str) -> float | None:
    """The locked operations of a program as it was counted, or of one of what another workload does."""
    at = figures.counted_at(place)
    whole = figures.counts.get((at, strategy)) if at else None
    counted = whole if place.workload in PROGRAMS else figures.counted_for_one(place, strategy)
    return counted.locked if counted else None


def _memory(figures: Figures, need: Need, place: Place, strategy: str) -> float | None:
    if need.memory == "object":
        data = figures.data.get((place.panel.compiler, strategy))
        return data.altogether if data else None
    peak = figures.peaks.get((place.workload, place.panel.compiler, place.series, place.x), {}).get(strategy)
    return peak.peak if peak else None


def _best(figures: Figures, place: Place, ordered: list[Candidate]) -> Candidate:
    """Applies the rule to candidates that are `ordered` by their time."""
    near = max(_spread(figures, place), WORTH)
    fastest, *others = ordered
    ratios = figures.ratios_to(fastest.strategy, place, [each.strategy for each in others])
    is_near = {name for name, (ratio, low, _) in ratios.items() if ratio <= UNSURE and low <= near}
    tied = [each for each in ordered if each is fastest or each.strategy in is_near]
    return min(tied, key=lambda each: (len(each.restrictions), math.inf if each.memory is None else each.memory))


def _otherwise(figures: Figures, place: Place, ordered: list[Candidate], pick: Candidate) -> Candidate | None:
    """The best of the least restricted candidates that gain something and have none of the pick's restrictions."""
    others = [each for each in ordered if not {*each.restrictions} & {*pick.restrictions}]
    gaining = [each for each in others if each.ratio < 1] or others
    fewest = min((len(each.restrictions) for each in gaining), default=0)
    free = [each for each in gaining if len(each.restrictions) == fewest]
    return _best(figures, place, free) if free else None


def _spread(figures: Figures, place: Place) -> float:
    control = figures.controls.get(place)
    return statistics.control_spread(control) if control else 1.0
