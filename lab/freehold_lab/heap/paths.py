"""By which path of types a root holds objects: a tree, in which an object is on the shortest path that leads to it.

A type that is on a path already is not added to it again: the nodes of a list are one place in the tree.
"""

from dataclasses import dataclass, field

from freehold_lab.heap import retained
from freehold_lab.heap.snapshot import Snapshot

MOST_PLACES = 50_000  # what is below the last of them counts as theirs


@dataclass
class Place:
    """A kind of root, or objects of a type that the same path leads to."""

    name: str
    path: tuple[str, ...]
    objects: int = 0
    bytes: int = 0  # with those outside of the heap
    all_objects: int = 0  # with those of the places below
    all_bytes: int = 0
    below: list["Place"] = field(default_factory=list)


@dataclass(frozen=True)
class Count:
    objects: int = 0
    bytes: int = 0
    external_bytes: int = 0
    garbage: int = 0

    def __sub__(self, other: "Count") -> "Count":
        return Count(
            self.objects - other.objects,
            self.bytes - other.bytes,
            self.external_bytes - other.external_bytes,
            self.garbage - other.garbage,
        )

    @property
    def all_bytes(self) -> int:
        return self.bytes + self.external_bytes


@dataclass(frozen=True)
class Content:
    """What is in a snapshot, by type and by path."""

    heap: str
    census: dict[str, Count]
    top: Place  # above the kinds of roots
    retained: retained.Retained | None  # None if the program did not write what dominates what

    def places(self) -> dict[tuple[str, ...], Place]:
        """Returns all places by their paths."""
        found = {}
        waiting = [self.top]
        for place in waiting:
            found[place.path] = place
            waiting += place.below
        return found


class _Tree:
    def __init__(self) -> None:
        self.places = [Place("all objects", ())]
        self._children: dict[tuple[int, str | int], int] = {}
        self._on_path: list[dict[int, int]] = [{}]  # of each place: the places above it and itself, by type

    def root(self, kind: str) -> int:
        if (found := self._children.get((0, kind))) is None:
            found = self._children[0, kind] = self._add(0, kind, {})
        return found

    def child(self, parent: int, number: int, name: str) -> int:
        """Returns the place of objects of a type below `parent`, or the one on the path to it."""
        if (above := self._on_path[parent].get(number)) is not None:
            return above
        if (found := self._children.get((parent, number))) is None:
            if len(self.places) >= MOST_PLACES:
                return parent
            found = self._children[parent, number] = self._add(parent, name, self._on_path[parent])
            self._on_path[found][number] = found
        return found

    def _add(self, parent: int, name: str, on_path: dict[int, int]) -> int:
        self.places.append(Place(name, (*self.places[parent].path, name)))
        self.places[parent].below.append(self.places[-1])
        self._on_path.append(dict(on_path))
        return len(self.places) - 1


def content(snapshot: Snapshot) -> Content:
    tree = _Tree()
    place_of = _hold(snapshot, tree)
    counts = [[0, 0, 0, 0] for _ in snapshot.type_names]
    for i, (number, external) in enumerate(zip(snapshot.types, snapshot.external_bytes, strict=True)):
        if place_of[i] < 0:
            counts[number][3] += 1
            continue
        counts[number][0] += 1
        counts[number][2] += external
        place = tree.places[place_of[i]]
        place.objects += 1
        place.bytes += snapshot.type_bytes[number] + external
    census: dict[str, Count] = {}
    for name, size, (objects, _, external, garbage) in zip(
        snapshot.type_names, snapshot.type_bytes, counts, strict=True
    ):
        before = census.get(name, Count())  # several types may have the same name
        census[name] = before - Count(-objects, -objects * size, -external, -garbage)
    for place in reversed(tree.places):  # those below come after it
        place.all_objects = place.objects + sum(each.all_objects for each in place.below)
        place.all_bytes = place.bytes + sum(each.all_bytes for each in place.below)
        place.below.sort(key=lambda each: (-each.all_bytes, each.name))
    return Content(snapshot.heap, census, tree.places[0], retained.of(snapshot, [place >= 0 for place in place_of]))


def _hold(snapshot: Snapshot, tree: _Tree) -> list[int]:
    """Returns the place of each object; -1 if no root leads to it. Breadth first, so each path is a shortest one."""
    names, types, first, targets = snapshot.type_names, snapshot.types, snapshot.first, snapshot.targets
    place_of = [-1] * len(types)
    waiting = []
    for root in snapshot.roots:
        if place_of[root.object] < 0:
            number = types[root.object]
            place_of[root.object] = tree.child(tree.root(root.kind), number, names[number])
            waiting.append(root.object)
    for i in waiting:
        for to in targets[first[i] : first[i + 1]]:
            if place_of[to] < 0:
                place_of[to] = tree.child(place_of[i], types[to], names[types[to]])
                waiting.append(to)
    return place_of
