"""Which of the shared pointers that are passed by value could be passed by reference."""

from collections import Counter
from dataclasses import dataclass, field

from freehold_lab.switching.facts import ByValue, Facts
from freehold_lab.switching.parameters import LOCAL, MOVED, TEMPORARY


@dataclass
class Borrowing:
    """Parameters that could be references, and how many could not, by reason."""

    possible: list[ByValue] = field(default_factory=list)
    needed: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        return len(self.possible) + self.needed.total()


def find(facts: list[Facts]) -> Borrowing:
    passed: dict[tuple[str, int], set[str]] = {}
    for each in facts:
        for key, what in each.passed:
            passed.setdefault(key, set()).add(what)
    taken = {function for each in facts for function in each.address_taken}
    found = Borrowing()
    places = {(each.file, each.start): each for unit in facts for each in unit.by_value}
    for parameter in sorted(places.values(), key=lambda each: (each.file, each.start)):
        reason = parameter.reason or _outer_reason(parameter, passed.get(parameter.key, set()), taken)
        if reason:
            found.needed[reason] += 1
        else:
            found.possible.append(parameter)
    return found


def _outer_reason(parameter: ByValue, passed: set[str], taken: set[str]) -> str:
    """Returns why it must be an owner in view of the calls. A reference is safe if no call passes an owner that may be
    released during the call, or if the function releases nothing."""
    if parameter.key[0] in taken:
        return "of a function whose address is taken"
    if MOVED in passed:
        return "moved to by a caller"
    is_kept = bool(passed) and passed <= {LOCAL, TEMPORARY}
    return "" if parameter.is_quiet or is_kept else "may be released during the call"
