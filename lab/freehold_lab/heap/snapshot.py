"""A snapshot as write_json of heap_snapshot.hpp writes it."""

import json
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from freehold_lab.errors import LabError

FORMAT = "freehold heap snapshot"
VERSION = 1


@dataclass(frozen=True)
class Root:
    kind: str
    number: int
    object: int
    session: int = 0  # 0 if it is of none

    @property
    def name(self) -> str:
        return f"{self.kind} {self.number}" + (f" of session {self.session}" if self.session else "")


@dataclass(frozen=True)
class Snapshot:
    """Objects are numbers from 0 on. The pointers of object i lead to targets[first[i] : first[i + 1]]."""

    heap: str
    type_names: list[str]
    type_bytes: list[int]
    roots: list[Root]
    types: list[int]
    external_bytes: list[int]
    first: list[int]
    targets: list[int]
    dominators: list[int] | None  # -1 for objects without one; None if the program did not write them
    upwards: list[int]  # the objects, each before its dominator

    def name_of(self, i: int) -> str:
        return f"{self.type_names[self.types[i]]} #{i + 1}"

    def bytes_of(self, i: int) -> int:
        return self.type_bytes[self.types[i]]


def read(path: Path) -> Snapshot:
    """Raises LabError if the file cannot be read or is no snapshot."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise LabError(f"cannot read {path}: {error.strerror}") from error
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise ValueError("it has another format")
        if data["version"] != VERSION:
            raise LabError(f"{path} is a snapshot of version {data['version']}; this command reads {VERSION}")
        return _checked(data)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise LabError(f"{path} is not a snapshot of a heap: {type(error).__name__}: {error}") from error


def _checked(data: dict[str, Any]) -> Snapshot:
    objects = data["objects"]
    dominators = [each - 1 for each in _numbers(objects["dominators"])] if "dominators" in objects else None
    snapshot = Snapshot(
        heap=str(data["heap"]),
        type_names=[str(each["name"]) for each in data["types"]],
        type_bytes=_numbers([each["bytes"] for each in data["types"]]),
        roots=[
            Root(str(each["kind"]), int(each["number"]), int(each["object"]) - 1, int(each.get("session", 0)))
            for each in data["roots"]
        ],
        types=_numbers(objects["type"]),
        external_bytes=_numbers(objects["external_bytes"]),
        first=list(accumulate(_numbers(objects["pointers"]), initial=0)),
        targets=[each - 1 for each in data["targets"]],
        dominators=dominators,
        upwards=_upwards(dominators or []),
    )
    count = len(snapshot.types)
    if (
        len(snapshot.external_bytes) != count
        or len(snapshot.first) != count + 1
        or len(dominators or snapshot.types) != count
    ):
        raise ValueError("its columns have different lengths")
    if snapshot.first[-1] != len(snapshot.targets):
        raise ValueError("it has another number of targets than of pointers")
    if max(snapshot.types, default=0) >= max(len(snapshot.type_names), 1):
        raise ValueError("an object has an unknown type")
    for each in (snapshot.targets, [root.object for root in snapshot.roots]):
        if each and not 0 <= min(each) <= max(each) < count:
            raise ValueError("a pointer leads to an unknown object")
    return snapshot


def _upwards(dominators: list[int]) -> list[int]:
    """Returns the objects, each before its dominator. Raises ValueError if there is no such order."""
    if max(dominators, default=-1) >= len(dominators):
        raise ValueError("a dominator is an unknown object")
    below = [0] * len(dominators)
    for each in dominators:
        if each >= 0:
            below[each] += 1
    found = [i for i, count in enumerate(below) if count == 0]
    for i in found:
        if (dominator := dominators[i]) >= 0:
            below[dominator] -= 1
            if below[dominator] == 0:
                found.append(dominator)
    if len(found) != len(dominators):
        raise ValueError("its dominators lead in a circle")
    return found


def _numbers(values: list[Any]) -> list[int]:
    if not all(type(each) is int and each >= 0 for each in values):
        raise ValueError("a figure is no number")
    return values
