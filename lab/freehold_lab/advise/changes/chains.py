"""The program's own places that allocate, each with the functions of the C++ library by which it does."""

from collections import Counter
from dataclasses import dataclass, field

from freehold_lab.advise.analysis.naming import Names, without_arguments
from freehold_lab.advise.analysis.summary import Place, Site, Summary

LEAST_SHARE = 0.02  # of all blocks, of a call of the allocator that is looked at
MOST_OF_LIBRARY = 12  # frames


@dataclass
class Chain:
    place: Place
    function: str
    line: str
    libraries: tuple[str, ...]  # functions on the way to the allocation, innermost first
    sites: list[Site] = field(default_factory=list)

    @property
    def blocks(self) -> int:
        return sum(each.blocks for each in self.sites)

    @property
    def outgrown(self) -> int:
        return sum(each.outgrown for each in self.sites)

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(each.number for each in self.sites)

    @property
    def where(self) -> str:
        return f"{without_arguments(self.function)} ({self.line})"

    def has(self, *words: str) -> bool:
        return any(word in function for function in self.libraries for word in words)


def find(summary: Summary, names: Names) -> list[Chain]:
    """Returns those of operator new, those with the most blocks first."""
    found: dict[tuple[Place, tuple[str, ...]], Chain] = {}
    blocks: Counter[Place] = Counter()
    for site in summary.sites:
        blocks[site.callers[0]] += site.blocks
    least = LEAST_SHARE * summary.allocations
    large = [each for each in summary.sites if each.made == each.blocks and blocks[each.callers[0]] >= least]
    names.look_up_lines({place for site in large for place in site.callers[:MOST_OF_LIBRARY]})
    for site in large:
        libraries: list[str] = []
        for place in site.callers[:MOST_OF_LIBRARY]:
            libraries += names.of_libraries(place)
            if not names.is_of_library(place):
                function, line = names.where(place)
                key = (place, tuple(libraries))
                found.setdefault(key, Chain(place, function, line, key[1])).sites.append(site)
                break
    return sorted(found.values(), key=lambda each: -each.blocks)
