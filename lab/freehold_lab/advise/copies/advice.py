"""What to write instead of needless copies."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from freehold_lab.advise.analysis.naming import without_arguments
from freehold_lab.advise.copies import following
from freehold_lab.advise.copies.attributing import UNKNOWN, Line
from freehold_lab.advise.copies.following import CHANGED, CONVERTED, COPIED, KEPT, MOVABLE, NEEDLESS
from freehold_lab.owners.tables import naming

# Instructions that a copy and its end take at least, in one thread: 28 by themselves with g++ 12 or clang++ 19, and 19
# in a program where compilers add several owners at once. A bound must hold in programs that nobody has measured.
PAIR = 12
MOST = 5

WORDS = {
    NEEDLESS: "const std::shared_ptr<T>&",
    MOVABLE: "std::move, if the owner is not used afterwards",
    CONVERTED: "conversion: const& does not help, but T& or T* does",
    CHANGED: "T*, as the variable is assigned to or moved from",
    KEPT: "a reference to the object or container that holds it, or T* in it",
}
# Of constructors: what they copy is mostly a member, which can be no reference.
WHOLE = "const {}&, of which this is a member"
MEMBER = "std::move from a parameter that is not used afterwards"


@dataclass(frozen=True)
class Advice:
    line: Line
    words: str
    copies: int  # that it is about
    of: int
    is_certain: bool = False  # whether it saves them

    @property
    def code(self) -> str:
        """Returns the author's line, where it can be read."""
        try:
            lines = Path(self.line.path).read_text(errors="replace").splitlines()
            return lines[self.line.number - 1].strip()
        except (OSError, IndexError):
            return ""


def of(line: Line, counts: "Counter[str]") -> Advice | None:
    """Returns nothing for a line most of whose copies are needed."""
    what = max(WORDS, key=lambda each: counts[each])
    if line == UNKNOWN or not counts[what] or 2 * (following.needless(counts) + counts[MOVABLE]) < counts[COPIED]:
        return None
    words = WORDS[what]
    if what == NEEDLESS:
        words = _of_constructor(naming.demangled_function(line.function)) or words
    return Advice(line, words, counts[what], counts[COPIED], words == WORDS[NEEDLESS])


def _of_constructor(function: str) -> str:
    """Returns the words if the function is such as Holder::Holder(Holder const&), or none."""
    name = without_arguments(function)
    classes, _, last = name.rpartition("::")
    if not re.search(rf"(?:^|::){re.escape(last)}(?:<.*>)?$", classes):
        return ""
    return WHOLE.format(classes) if function[len(name) :] == f"({classes} const&)" else MEMBER


def saved(found: list[Advice]) -> int:
    """Returns the instructions that are saved at least."""
    return PAIR * sum(each.copies for each in found if each.is_certain)
