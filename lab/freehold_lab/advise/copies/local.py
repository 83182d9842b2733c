"""Types of objects whose counts one thread alone touched: a local pointer locks none of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from freehold_lab.owners.tables import naming

LEAST = 1000  # copies, and locked operations
MOST = 2
OF_LIBRARY = re.compile(r"std::(\w+::)*_")
ATOMIC = "_Lock_policyE2E"  # in the name of the class of counts that threads may share


@dataclass(frozen=True)
class Kind:
    name: str
    objects: int
    copies: int  # of their owners
    locked: int  # operations on their counts, at least
    crossed: int  # objects whose counts a second thread touched

    @property
    def is_local(self) -> bool:
        return not self.crossed and self.copies >= LEAST and not OF_LIBRARY.match(self.name)


def read(lines: Iterable[str]) -> list[Kind]:
    """Reads what src/advise/copies_report.hpp writes: figures, and the mangled name of a control block's class."""
    figures: dict[str, list[int]] = {}
    for line in lines:
        *numbers, block = line.split(" ", 4)
        if ATOMIC in block:
            before = figures.setdefault(naming.of_object(block), [0] * 4)
            figures[naming.of_object(block)] = [sum(each) for each in zip(before, map(int, numbers), strict=True)]
    return [Kind(name, *each) for name, each in figures.items()]


def advised(kinds: Iterable[Kind]) -> list[Kind]:
    """Returns the types that should have local pointers, those that lock most first."""
    found = [each for each in kinds if each.is_local and each.locked >= LEAST]
    return sorted(found, key=lambda each: (-each.locked, each.name))[:MOST]


def without_gain(kinds: Iterable[Kind]) -> Kind | None:
    """Returns the type with the most copies of those whose counts never locked."""
    found = [each for each in kinds if each.is_local and not each.locked]
    return max(found, key=lambda each: each.copies, default=None)


def told(kind: Kind, command: str) -> list[str]:
    objects = f"{kind.objects:,} object{'s' * (kind.objects != 1)}"
    return [
        f"{kind.name}: freehold::local_shared_ptr<{kind.name}>",
        f"because: {kind.copies:,} copies of owners of {objects}; one thread alone touched each count",
        f"saves at least {kind.locked:,} locked operations",
        "write: #include <freehold/pointers/local_shared_ptr.hpp>",
        f"       freehold::make_local_shared<{kind.name}>(arguments)  // instead of std::make_shared",
        "refuted by: a count that another thread touches with other input: test the change under -fsanitize=thread;",
        "            and a pointer to a base class, which objects of other types share",
        f"confirm: ./freehold advise --confirm CHANGED -- {command}  # both built without the header of --shim",
    ]


def told_without_gain(kind: Kind) -> str:
    return (
        f"A local pointer to {kind.name} would gain 0: in this run the program had one thread at all {kind.copies:,} "
        "copies, and libstdc++ locks no count then."
    )
