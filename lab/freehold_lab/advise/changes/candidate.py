"""A change that could be made, before anything is known of its gain."""

from dataclasses import dataclass

from freehold_lab.advise.interval import NOTHING, Interval


@dataclass(frozen=True)
class Candidate:
    change: str
    replayed: tuple[str, ...]  # as src/advise/change.hpp reads it
    sites: frozenset[int]  # whose blocks it is about
    evidence: str
    refuted_by: str
    lines: tuple[str, ...]  # to write
    besides: Interval = NOTHING  # instructions that are saved, and that are no allocation's


def of_sites(kind: str, sites: frozenset[int]) -> tuple[str, ...]:
    """Returns what src/advise/change.hpp reads of a change of these sites."""
    return kind, *map(str, sorted(sites))
