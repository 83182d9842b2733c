"""What a later report has more than an earlier one, by type and by leak."""

from dataclasses import dataclass

from freehold_lab.owners.answers.report import Leak, Report

Key = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Count:
    objects: int = 0
    bytes: int = 0
    owners: int = 0
    times: int = 0  # how often there is such a leak

    def __add__(self, other: "Count") -> "Count":
        return Count(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def __neg__(self) -> "Count":
        return Count(*(-getattr(self, name) for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Grown:
    """A type, or a leak, of which there is more than before."""

    name: str  # of the type
    leak: Leak | None  # as it is now; one of them, if they differ in what is behind
    now: Count
    more: Count


@dataclass(frozen=True)
class Difference:
    old: Report
    new: Report
    types: list[Grown]  # those that have grown by most bytes first
    leaks: list[Grown]  # likewise
    freed: int  # bytes that the types have less that have shrunk


def between(old: Report, new: Report) -> Difference:
    before, after = _by_type(old), _by_type(new)
    changes = {name: after.get(name, Count()) + -before.get(name, Count()) for name in {*before, *after}}
    types = [Grown(name, None, after[name], more) for name, more in changes.items() if name in after]
    was, now, one = _by_leak(old), _by_leak(new), {key(each): each for each in reversed(new.leaks)}
    leaks = [Grown("", one[each], count, count + -was.get(each, Count())) for each, count in now.items()]
    freed = sum(-each.bytes for each in changes.values() if each.bytes < 0)
    return Difference(old, new, _ordered(types), _ordered(leaks), freed)


def key(leak: Leak) -> Key:
    """Returns what leaks have in common that are alike: types and places, wherever the cycle begins, however long."""
    steps = {(each.type, each.place) for each in leak.cycle} or {(name, "") for name in leak.types}
    return tuple(sorted(steps))


def _ordered(grown: list[Grown]) -> list[Grown]:
    found = [each for each in grown if max(each.more.objects, each.more.bytes, each.more.owners, each.more.times) > 0]
    return sorted(found, key=lambda each: (-each.more.bytes, -each.more.objects, -each.more.owners, each.name))


def _by_type(report: Report) -> dict[str, Count]:
    found: dict[str, Count] = {}
    for each in report.types:
        found[each.name] = found.get(each.name, Count()) + Count(each.objects, each.bytes, each.owners)
    return found


def _by_leak(report: Report) -> dict[Key, Count]:
    found: dict[Key, Count] = {}
    for each in report.leaks:
        objects = sum(each.types.values()) + sum(each.behind.values())
        found[key(each)] = found.get(key(each), Count()) + Count(objects, each.bytes, times=each.count)
    return found
