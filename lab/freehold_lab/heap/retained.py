"""What would be freed if an object went: itself and all that it dominates. The snapshot says what dominates what."""

from collections import Counter
from dataclasses import dataclass, field

from freehold_lab.heap.snapshot import Snapshot

MOST_OBJECTS = 30
MOST_LINES = 20  # of what an object is within, and of its referrers


@dataclass(frozen=True)
class Amount:
    objects: int = 0
    bytes: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.objects + other.objects, self.bytes + other.bytes)


@dataclass
class Object:
    """One that retains much. `within` are its dominators, the nearest first, with what they retain."""

    name: str
    own_bytes: int
    retained: Amount
    within: list[tuple[str, Amount]]
    more_within: bool
    roots: list[str] = field(default_factory=list)
    referrers: Counter[tuple[str, int]] = field(default_factory=Counter)  # pointers by their type and place in it
    one_referrer: dict[tuple[str, int], str] = field(default_factory=dict)  # the first object of these

    def most_roots(self) -> list[str]:
        return self.roots[:MOST_LINES]

    def most_referrers(self) -> list[tuple[str, int, int]]:
        """Returns the name of the object or type, the place in it, and the number of such pointers."""
        most = self.referrers.most_common(MOST_LINES)
        return [(self.one_referrer[each] if count == 1 else each[0], each[1], count) for each, count in most]

    def more_referrers(self) -> int:
        return max(0, len(self.roots) - MOST_LINES) + max(0, len(self.referrers) - MOST_LINES)


@dataclass(frozen=True)
class Retained:
    by_type: dict[str, Amount]  # what several objects of a type retain counts once
    largest: list[Object]  # none that an object of its type retains: of a list only the first node


def of(snapshot: Snapshot, held: list[bool]) -> Retained | None:
    """Returns None if the snapshot has no dominators."""
    if snapshot.dominators is None:
        return None
    amounts = _Amounts(snapshot, snapshot.dominators, held)
    by_type: dict[str, Amount] = {}
    outermost = []
    for i in amounts.outermost():
        name = snapshot.type_names[snapshot.types[i]]
        by_type[name] = by_type.get(name, Amount()) + amounts.of(i)
        outermost.append(i)
    outermost.sort(key=lambda i: (-amounts.bytes[i], i))
    largest = {i: amounts.described(i) for i in outermost[:MOST_OBJECTS]}
    _find_referrers(snapshot, largest)
    return Retained(by_type, list(largest.values()))


class _Amounts:
    def __init__(self, snapshot: Snapshot, dominators: list[int], held: list[bool]) -> None:
        self._snapshot, self._dominators, self._held = snapshot, dominators, held
        self.bytes = [0] * len(held)
        self._objects = [0] * len(held)
        for i in snapshot.upwards:
            if not held[i]:
                continue
            self.bytes[i] += snapshot.bytes_of(i) + snapshot.external_bytes[i]
            self._objects[i] += 1
            if (dominator := dominators[i]) >= 0:
                self.bytes[dominator] += self.bytes[i]
                self._objects[dominator] += self._objects[i]

    def of(self, i: int) -> Amount:
        return Amount(self._objects[i], self.bytes[i])

    def outermost(self) -> list[int]:
        """Returns the held objects that no object of a type of the same name retains."""
        names, types = self._snapshot.type_names, self._snapshot.types
        ends = dict.fromkeys(names, 0)  # of what the last one found retains
        found = []
        for place, i in enumerate(self._ordered()):
            if place >= ends[name := names[types[i]]]:
                ends[name] = place + self._objects[i]
                found.append(i)
        return found

    def _ordered(self) -> list[int]:
        """Returns the held objects, each followed by all that it retains."""
        ordered = [0] * sum(self._held)
        free = [0] * (len(self._held) + 1)  # the place for what each dominates; the last for what nothing dominates
        for i in reversed(self._snapshot.upwards):
            if self._held[i]:
                dominator = self._dominators[i]
                ordered[free[dominator]] = i
                free[i] = free[dominator] + 1
                free[dominator] += self._objects[i]
        return ordered

    def described(self, i: int) -> Object:
        within: list[tuple[str, Amount]] = []
        at = self._dominators[i]
        while at >= 0 and len(within) < MOST_LINES:
            within.append((self._snapshot.name_of(at), self.of(at)))
            at = self._dominators[at]
        own_bytes = self._snapshot.bytes_of(i) + self._snapshot.external_bytes[i]
        return Object(self._snapshot.name_of(i), own_bytes, self.of(i), within, at >= 0)


def _find_referrers(snapshot: Snapshot, largest: dict[int, Object]) -> None:
    for root in snapshot.roots:
        if root.object in largest:
            largest[root.object].roots.append(root.name)
    first, targets = snapshot.first, snapshot.targets
    for i, number in enumerate(snapshot.types):
        for k in range(first[i], first[i + 1]):
            if targets[k] in largest:
                pointer = (snapshot.type_names[number], k - first[i] + 1)
                found = largest[targets[k]]
                found.referrers[pointer] += 1
                found.one_referrer.setdefault(pointer, snapshot.name_of(i))
