"""The functions that allocate, with all that they call."""

from dataclasses import dataclass

from freehold_lab.advise.analysis.naming import Names, is_of_library, without_arguments
from freehold_lab.advise.analysis.summary import Summary


@dataclass
class Function:
    name: str
    blocks: int = 0  # that it or what it calls has allocated
    bytes: int = 0
    own: int = 0  # blocks, of which it is the innermost caller that is no library's


def find(summary: Summary, names: Names) -> list[Function]:
    """Returns them, those with the most bytes first. A block counts once for a function that calls itself."""
    found: dict[str, Function] = {}
    for site in summary.sites:
        functions = [names.function(place) for place in site.callers]
        own = next((each for each in functions if not is_of_library(each)), "")
        for name in dict.fromkeys(functions):
            each = found.setdefault(name, Function(without_arguments(name)))
            each.blocks += site.blocks
            each.bytes += site.bytes
            each.own += site.blocks * (name == own)
    return sorted(found.values(), key=lambda each: (-each.bytes, each.name))
