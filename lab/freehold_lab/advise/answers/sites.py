"""The places that allocate: chains of callers that begin alike are one, and recursion counts once."""

from dataclasses import dataclass

from freehold_lab.advise.analysis.naming import Names, is_of_library
from freehold_lab.advise.analysis.summary import Place, Site

MOST_CALLERS = 3


@dataclass
class Group:
    places: tuple[Place, ...]  # of one of its chains
    functions: tuple[str, ...]  # innermost first
    recorded: int = 0  # blocks, which with samples stand for more
    blocks: int = 0
    bytes: int = 0
    freed: int = 0
    by_others: int = 0
    in_stack_order: int = 0
    left_bytes: int = 0
    at_peak: int = 0
    lifetimes: tuple[int, ...] = ()

    def add(self, site: Site) -> None:
        self.recorded += site.recorded
        self.blocks += site.blocks
        self.bytes += site.bytes
        self.freed += site.freed
        self.by_others += site.by_others
        self.in_stack_order += site.in_stack_order
        self.left_bytes += site.left_bytes
        self.at_peak += site.at_peak
        before = self.lifetimes or (0,) * len(site.lifetimes)
        self.lifetimes = tuple(sum(pair) for pair in zip(before, site.lifetimes, strict=True))

    @property
    def median_lifetime(self) -> int | None:
        """The bytes that were allocated while half of the blocks lived, rounded up to a power of two."""
        seen = 0
        for power, blocks in enumerate(self.lifetimes):
            seen += blocks
            if 2 * seen >= self.freed > 0:
                return 1 << power
        return None


def groups(sites: list[Site], names: Names) -> list[Group]:
    """Returns the groups, those with the most blocks first."""
    found: dict[tuple[str, ...], Group] = {}
    for site in sites:
        places, functions = _innermost(site.callers, names)
        found.setdefault(functions, Group(places, functions)).add(site)
    return sorted(found.values(), key=lambda each: (-each.blocks, -each.bytes))


def _innermost(callers: list[Place], names: Names) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    """Returns the innermost callers, beginning with the first that is no part of a C++ library."""
    named = [(place, names.function(place)) for place in callers]
    first = next((at for at, (_, name) in enumerate(named) if not is_of_library(name)), 0)
    places: list[Place] = []
    functions: list[str] = []
    for place, name in named[first:]:
        if name not in functions:
            places.append(place)
            functions.append(name)
        if len(functions) == MOST_CALLERS or name == "main":
            break
    return tuple(places), tuple(functions)
