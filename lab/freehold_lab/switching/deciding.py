"""What is done with each name, from what all translation units say about it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from freehold_lab.switching.facts import Crossing, Facts, Place
from freehold_lab.switching.lexing import Source
from freehold_lab.switching.meaning import UNDECIDED
from freehold_lab.switching.names import ADVICE, ATOMIC_ACCESS, BRIDGE, SWITCHED

HOMES = ("std", "boost")


@dataclass(frozen=True, order=True)
class Edit:
    start: int
    end: int
    text: str


@dataclass
class Decision:
    """All that is done in a file, and what is left there."""

    source: Source
    edits: set[Edit] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)
    left: set[tuple[int, str]] = field(default_factory=set)  # a line, and why
    names: int = 0
    crossings: int = 0


class _Known:
    """What the units say about each place."""

    def __init__(self, facts: list[Facts]) -> None:
        self.meanings: dict[Place, dict[str, Path]] = defaultdict(dict)
        self.qualifiers: dict[Place, str] = {}
        self.kept: dict[Place, str] = {}
        for each in facts:
            for place, meaning in each.meanings.items():
                self.meanings[place].setdefault(meaning, each.unit)
            self.qualifiers |= each.qualifiers
            self.kept |= each.kept
        self._facts = facts

    def why_unread(self, place: Place) -> str:
        """Returns why no unit says what a name means, or nothing if one has compiled it."""
        having = [each for each in self._facts if place[0] in each.skipped]
        reading = [each for each in having if not _is_within(place[1], each.skipped[place[0]])]
        if not reading:
            return "an #if leaves it out, so it was not read"
        return "" if any(not each.error for each in reading) else "no translation unit that has it compiles"


def _is_within(place: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in ranges)


def decide(facts: list[Facts], sources: dict[Path, Source]) -> list[Decision]:
    known = _Known(facts)
    decisions = {path: Decision(source) for path, source in sources.items()}
    for path, decision in decisions.items():
        for number in decision.source.suspects():
            _decide_name(decision, number, path, known)
    for each in facts:
        _add_remarks(decisions, each)
    for crossing in {crossing for each in facts for crossing in each.crossings}:
        _add_crossing(decisions[crossing.file], crossing)
    return list(decisions.values())


def _add_remarks(decisions: dict[Path, Decision], facts: Facts) -> None:
    for remark in facts.remarks:
        decision = decisions[remark.file]
        decision.left.add((decision.source.line(remark.start), remark.reason))
    for file, header in facts.needed:
        decisions[file].headers.add(header)


def _add_crossing(decision: Decision, crossing: Crossing) -> None:
    opening = Edit(crossing.start, crossing.start, f"freehold::{crossing.function}(")
    decision.edits |= {opening, Edit(crossing.end, crossing.end, ")")}
    decision.headers.add(BRIDGE)
    decision.crossings += 1


def _decide_name(decision: Decision, number: int, path: Path, known: _Known) -> None:
    source = decision.source
    token = source.tokens[number]
    place = (path, token.start)
    line = source.line(token.start)
    qualifier = source.qualifier(number)
    directive = source.directive(token.start)
    meanings = known.meanings.get(place, {})
    if directive is not None:
        if directive.macro and _is_named(source, number):
            decision.left.add((line, f"{token.text} in the macro {directive.macro}"))
    elif place in known.kept:
        decision.left.add((line, f"{token.text} stays: {known.kept[place]}"))
    elif not meanings:
        if not _is_named(source, number):
            return
        if why := known.why_unread(place):
            decision.left.add((line, f"{token.text}: {why}"))
        elif token.text in ATOMIC_ACCESS:
            pass  # below a template, with nothing that says that it is for shared_ptr
        else:
            _rename(decision, number, f"{source.tokens[qualifier].text}::{token.text}", "std")  # type: ignore[index]
    elif UNDECIDED in meanings:
        decision.left.add((line, f"{token.text}: cannot tell what it means"))
    elif len({SWITCHED.get(meaning, meaning) for meaning in meanings}) > 1:
        said = " and ".join(f"{meaning} in {unit.name}" for meaning, unit in meanings.items())
        decision.left.add((line, f"{token.text} means {said}"))
    elif (meaning := next(iter(meanings))) in SWITCHED:
        home = known.qualifiers.get((path, source.tokens[qualifier].start)) if qualifier is not None else None
        _rename(decision, number, meaning, home)


def _is_named(source: Source, number: int) -> bool:
    """Whether std:: or boost:: stands before a name."""
    qualifier = source.qualifier(number)
    if qualifier is None or source.qualifier(qualifier) is not None:
        return False
    name = f"{source.tokens[qualifier].text}::{source.tokens[number].text}"
    return name in SWITCHED or name in ADVICE


def _rename(decision: Decision, number: int, meaning: str, home: str | None) -> None:
    """Puts a name's counterpart in its place. `home`: the namespace that its qualifier means, if it has one."""
    source = decision.source
    token, new = source.tokens[number], SWITCHED[meaning]
    qualifier = source.qualifier(number)
    if qualifier is None:
        is_qualified = number > 0 and source.tokens[number - 1].text == "::"
        decision.edits.add(Edit(token.start, token.start, "" if is_qualified else "freehold::"))
    elif home in HOMES:
        word = source.tokens[qualifier]
        decision.edits.add(Edit(word.start, word.end, "freehold"))
    else:
        return  # a namespace of the tree, whose using-declaration is switched
    if new.text != token.text:
        decision.edits.add(Edit(token.start, token.end, new.text))
    decision.headers.add(new.header)
    decision.names += 1
