"""Gives each owner that was added to the line that asked for it."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from freehold_lab.advise.analysis import inlining
from freehold_lab.advise.copies import code
from freehold_lab.advise.copies.callgrind import Call, Function, Profile

MOST_CALLERS = 64


@dataclass(frozen=True, order=True)
class Line:
    path: str
    number: int
    function: str = field(compare=False)  # the symbol of that in which it is, or of one of them

    @property
    def where(self) -> str:
        return f"{Path(self.path).name}:{self.number}" if self.path else "no line is known"


UNKNOWN = Line("", 0, "")


@dataclass
class Copies:
    of_lines: dict[Line, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # by kind
    estimated: set[Line] = field(default_factory=set)


class Lines:
    """The author's lines of addresses, each file's by one look-up."""

    def __init__(self, addresses: Iterable[tuple[str, int]]) -> None:
        files = defaultdict(set)
        for path, address in addresses:
            files[path].add(address)
        self._found = {
            (path, address): inlining.own(frames)
            for path, wanted in files.items()
            if code.of(path)
            for address, frames in inlining.of(path, wanted).items()
        }

    def of(self, path: str, address: int) -> Line | None:
        frame = self._found.get((path, address))
        return Line(frame.path, frame.line, frame.symbol) if frame else None


def attribute(profile: Profile) -> Copies:
    """An owner that a function of the library adds is its caller's, or the caller's caller's."""
    added = [
        (function, address, increment.kind, times * increment.owners)
        for function, executed in profile.executed.items()
        if (found := code.of(function[0]))
        for address, times in executed.items()
        if (increment := found.increments.get(address))
    ]
    lines = Lines((function[0], address) for function, address, _, _ in added)
    copies = Copies()
    pending: dict[Function, Counter[str]] = defaultdict(Counter)
    for function, address, kind, owners in added:
        line = lines.of(function[0], address)
        (copies.of_lines[line] if line else pending[function])[kind] += owners
    for _ in range(MOST_CALLERS):
        if not pending:
            break
        pending = _pass_on(profile, pending, copies)
    for counts in pending.values():
        copies.of_lines[UNKNOWN].update(counts)
    return copies


def _pass_on(profile: Profile, owners: dict[Function, Counter[str]], copies: Copies) -> dict[Function, Counter[str]]:
    """Gives what functions added to the lines that called them. Returns what is left to the callers' callers."""
    called = {function: list(profile.calls.get(function, {}).values()) for function in owners}
    lines = Lines((call.caller[0], call.address) for calls in called.values() for call in calls)
    left: dict[Function, Counter[str]] = defaultdict(Counter)
    for function, counts in owners.items():
        calls = called[function]
        for kind, count in counts.items():
            is_estimated = len(calls) > 1 and count != sum(each.times for each in calls)
            for call, share in _shares(calls, count, profile.executed[function], is_estimated):
                if not share:
                    continue
                line = lines.of(call.caller[0], call.address)
                (copies.of_lines[line] if line else left[call.caller])[kind] += share
                if line and is_estimated:
                    copies.estimated.add(line)
            if not calls:
                copies.of_lines[UNKNOWN][kind] += count
    return left


def _shares(calls: list[Call], count: int, executed: "Counter[int]", is_estimated: bool) -> list[tuple[Call, int]]:
    """Returns how much of the count each call has: one for each time; where that is not so, by what the calls cost more
    than one that adds nothing."""
    times = sum(each.times for each in calls)
    weights = [float(each.times) for each in calls]
    for_each = sum(1 for ran in executed.values() if ran == count)  # instructions that run once for each owner
    if is_estimated and for_each:
        empty = (sum(each.instructions for each in calls) - for_each * count) / times
        weights = [max(0.0, each.instructions - empty * each.times) for each in calls]
    return list(zip(calls, _whole(weights, count), strict=True))


def _whole(weights: list[float], count: int) -> list[int]:
    """Returns whole numbers that add up to the count."""
    total = sum(weights) or 1.0
    seen, given, shares = 0.0, 0, []
    for each in weights:
        seen += each
        upto = round(count * seen / total)
        shares.append(upto - given)
        given = upto
    return shares
