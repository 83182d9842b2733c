"""The words in which the terminal and the page tell of a report. Names are from a foreign program."""

import math

from freehold_lab.heap.page import size
from freehold_lab.owners.answers.report import Asked, Leak, Report, Step, Type

ARROW = " -> "
CUT = "…"
NAME_LENGTHS = (200, 100, 60, 40, 30, 24, 20, 16, 12)  # letters of a type's name, tried one after the other
SUSPECTED = "suspected"


def plain(text: str) -> str:
    return text if text.isprintable() else "".join(letter if letter.isprintable() else "?" for letter in text)


def short(name: str, most: int) -> str:
    """Returns the name without its middle, if it is longer than `most` letters."""
    name = plain(name)
    if len(name) <= most:
        return name
    tail = max(0, (most - 1) // 2)
    return name[: max(0, most - 1 - tail)] + CUT + (name[-tail:] if tail else "")


def about(report: Report) -> str:
    """Returns what the image is, and how much of it was understood."""
    stopped = [f"stopped {report.stopped:.2f} s"] if report.stopped else []
    allocator = [plain(report.allocator)] if report.allocator else []
    image = ", ".join([plain(report.processor), *stopped, size(report.bytes), *allocator])
    owners = f"{percent(report.explained)} of {report.owners:,} owners found"
    return f"{image}; {owners}, {counted(report.unknown, 'handle')} unknown"


def percent(share: float) -> str:
    """Returns a share, never rounded up: 100 % is all."""
    return "100 %" if share >= 1 else f"{math.floor(share * 1000) / 10:.1f} %"


def withheld(report: Report) -> str:
    """Returns why nothing is called leaked, or nothing."""
    return f"Nothing is called leaked, only suspected: {plain('; '.join(report.doubts))}." if report.doubts else ""


def leaked(report: Report) -> str:
    """Returns what all leaks of the report are called together."""
    suspected = [each.grade.startswith(SUSPECTED) for each in report.leaks]
    if not any(suspected):
        return "leaked"
    return SUSPECTED if all(suspected) else f"leaked or {SUSPECTED}"


def leaks(report: Report) -> str:
    """Returns a line about all leaks."""
    if not report.leaks:
        return "No leak was found."
    total = size(sum(each.bytes for each in report.leaks))
    return f"{leaked(report).capitalize()}: {total} in {counted(len(report.leaks), 'kind')} of leak"


def step(each: Step, letters: int) -> str:
    """Returns the type, and the place in it: `Context +40` or `Context.callback`."""
    place = plain(each.place)
    return short(each.type, letters) + ("" if place.startswith(".") or not place else " ") + place


def chain(steps: list[Step], most: int) -> str:
    """Returns the steps with arrows, in at most `most` letters: names are cut, and then steps are left out."""
    for letters in NAME_LENGTHS:
        text = ARROW.join(step(each, letters) for each in steps)
        if len(text) <= most:
            return text
    parts = [step(each, NAME_LENGTHS[-1]) for each in steps]
    for kept in range(min(len(parts) - 2, most // 4), 0, -1):
        text = ARROW.join([*parts[:kept], f"{CUT} {len(parts) - kept - 1:,} more {CUT}", parts[-1]])
        if len(text) <= most:
            return text
    return short(ARROW.join(parts), most)


def closed(leak: Leak) -> list[Step]:
    """Returns the cycle, with its first object again at the end."""
    return [*leak.cycle, Step(leak.cycle[0].type)] if leak.cycle else []


def cycle(leak: Leak, most: int) -> str:
    """Returns what the objects of a leak have to do with each other."""
    if leak.cycle:
        return chain(closed(leak), most)
    lost = " (an owner was lost)"
    return short(objects(leak.types or leak.behind, most - len(lost)) + lost, most)


def objects(types: dict[str, int], most: int) -> str:
    """Returns how many objects of which types, those of most first, in about `most` letters."""
    ordered = sorted(types.items(), key=lambda each: (-each[1], each[0]))
    for letters in NAME_LENGTHS:
        text = ", ".join(f"{count:,} {short(name, letters)}" for name, count in ordered)
        if len(text) <= most:
            return text
    parts = [f"{count:,} {short(name, NAME_LENGTHS[-1])}" for name, count in ordered]
    for kept in range(min(len(parts) - 1, most // 4), 0, -1):
        text = f"{', '.join(parts[:kept])} and {counted(len(parts) - kept, 'type')} more"
        if len(text) <= most:
            return text
    return f"{sum(types.values()):,} objects of {counted(len(types), 'type')}"


def expired(report: Report) -> list[Type]:
    """Returns the types whose memory weak pointers alone keep, those of most bytes first."""
    return sorted([each for each in report.types if each.expired_bytes], key=lambda each: -each.expired_bytes)


def most_owned(report: Report) -> list[Type]:
    return sorted([each for each in report.types if each.owners], key=lambda each: -each.owners)


def counts(asked: Asked) -> str:
    """Returns the number of handles of an object."""
    unseen = f", at most {counted(asked.unseen, 'owner')} not found" if asked.unseen else ""
    return f"{counted(asked.owners, 'owner')}, {asked.weak:,} weak{unseen}"


def holder(asked: Asked) -> str:
    """Returns what holds the first object of the path."""
    return f"held by {plain(asked.root)}" if asked.root else "nothing was found that holds it"


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
