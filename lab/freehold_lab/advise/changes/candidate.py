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
