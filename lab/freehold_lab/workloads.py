"""What is measured: lab/workloads.toml, read once."""

import tomllib
from collections.abc import Collection
from typing import Literal

from pydantic import BaseModel, ConfigDict

from freehold_lab import folders

THREADS = "threads"
Kind = Literal["pointer", "program", "size", "memory", "listing", "timeline"]


class Workload(BaseModel):
    """An entry of workloads.toml, which says what the fields mean."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: Kind
    title: str
    about: str = ""
    families: list[str]
    strategies: list[str] = []
    quick: bool = True
    named: bool = False
    size: str = ""
    sizes: dict[str, list[int]] = {}
    pauses: bool = False
    latencies: bool = False
    x: str = ""
    per: str = ""
    references: list[str] = []
    threads: bool = False
    counted: bool = False
    peaks: bool = False
    code: bool = False

    def at(self, x: int) -> str:
        """Returns where a point is, in words."""
        return f"{x:,} {self.x if x != 1 else self.x.removesuffix('s')}"

    def done_at(self, x: int) -> int:
        """Returns what the time of a point at `x` is divided by, where times are for one of what is done."""
        return 1 if self.x == THREADS else x


_registry = tomllib.loads(folders.WORKLOADS.read_text())
ALL = {name: Workload(name=name, **entry) for name, entry in _registry["workloads"].items()}
SCALES: dict[str, int] = _registry["scales"]


def _named(*kinds: Kind) -> tuple[str, ...]:
    return tuple(each.name for each in ALL.values() if each.kind in kinds)


def _preferred(workload: Workload) -> list[str]:
    """Returns the strategies that ratios are to, the first one that was measured."""
    found: list[str] = workload.references or _registry["references"][workload.kind]
    return found


WORKLOADS = tuple(ALL)
PROGRAMS = _named("program")
POINTERS = _named("pointer", "program", "size")
MEMORY = _named("memory", "listing")
TIMELINES = _named("timeline")
TIMED_POINTERS = _named("pointer", "program")
TIMED_MEMORY = _named("memory")
TIMED = (*TIMED_POINTERS, *TIMED_MEMORY)
WITH_UNITS = tuple(each.name for each in ALL.values() if each.per)
SEVERAL_THREADS = tuple(each.name for each in ALL.values() if each.threads)
UNCOUNTED = tuple(each.name for each in ALL.values() if each.threads and not each.counted)
ONLY_WHOLE = tuple(each.name for each in ALL.values() if not each.quick)
BY_NAME = tuple(each.name for each in ALL.values() if each.named)
WITH_PEAKS = tuple(each.name for each in ALL.values() if each.peaks or each.kind == "program")
WITH_CODE = tuple(each.name for each in ALL.values() if each.code)

# The workloads that a family of strategies takes part in, where a strategy does not say otherwise.
FAMILIES = {
    family: tuple(each.name for each in ALL.values() if family in each.families)
    for family in dict.fromkeys(family for each in ALL.values() for family in each.families)
}

# What a ratio is to, unless a report asks for another.
REFERENCES: dict[str, str] = {each.name: _preferred(each)[0] for each in ALL.values()}

# Those that have code of their own here.
QUEENS = "queens"
HEAP_OR_STACK = "heap-or-stack"


# What a user may ask for; `alone` is a matter of time.
SIZES = tuple(name for name in SCALES if name != "alone")


def reference(workload: str, measured: Collection[str]) -> str:
    """Returns what ratios are to if the strategies called `measured` are those that were measured."""
    preferred = _preferred(ALL[workload])
    return next((name for name in preferred if name in measured), preferred[-1])
