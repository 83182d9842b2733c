"""Where the headers go that the new names need."""

import re

from freehold_lab.switching.deciding import Decision, Edit
from freehold_lab.switching.facts import Facts
from freehold_lab.switching.lexing import INCLUDE, Directive, Source
from freehold_lab.switching.names import BRINGS

OLD = re.compile(
    rb'[<"](memory|atomic|boost/(smart_ptr|shared_ptr|make_shared|weak_ptr|intrusive_ptr|enable_shared).*)[>"]'
)


def include(decisions: list[Decision], facts: list[Facts]) -> None:
    """Adds the includes to the edits of the files."""
    known = {decision.source.path: decision for decision in decisions}
    for file, by, place in {each for unit in facts for each in unit.included_at}:
        if by in known and _is_in_braces(known[by].source, place):
            # A part of a class or a namespace cannot include a header.
            known[by].headers |= known[file].headers
            known[file].headers = set()
    for decision in decisions:
        _include(decision)


def _is_in_braces(source: Source, place: int) -> bool:
    directive = source.directive(place)
    return directive is not None and directive.braces > 0


def _include(decision: Decision) -> None:
    headers = decision.headers - {brought for header in decision.headers for brought in BRINGS.get(header, ())}
    headers = {header for header in headers if f"<{header}>".encode() not in decision.source.text}
    if headers:
        newline = "\r\n" if b"\r\n" in decision.source.text else "\n"
        text = "".join(f"#include <{header}>{newline}" for header in sorted(headers))
        place = _place(decision.source, min(edit.start for edit in decision.edits) if decision.edits else 0)
        if place > 0 and decision.source.text[place - 1 : place] != b"\n":
            text = newline + text
        decision.edits.add(Edit(place, place, text))


def _place(source: Source, first: int) -> int:
    """Returns where an include may be added: behind <memory> or what is like it, or else behind the last include that
    is compiled in any case, or else behind the guard or the comment at the beginning."""
    base = 1 if _guard(source) else 0
    includes = [
        each
        for each in source.directives
        if each.end <= first and each.depth == base and each.braces == 0 and INCLUDE.match(each.text)
    ]
    old = [each for each in includes if OLD.search(each.text)]
    if includes:
        return (old or includes)[-1].end
    opening = _guard(source) or [each for each in source.directives if b"pragma once" in each.text.replace(b"  ", b" ")]
    if opening:
        return opening[-1].end
    return _behind_comment(source)


def _guard(source: Source) -> list[Directive]:
    """Returns #ifndef and #define of a guard against a second inclusion."""
    first = source.directives[:2]
    names = [re.match(rb"#\s*(?:ifndef|if\s+!\s*defined\s*\(?|define)\s*(\w+)", each.text) for each in first]
    is_guard = len(names) == 2 and names[0] and names[1] and names[0][1] == names[1][1]
    return first if is_guard and re.match(rb"#\s*if", first[0].text) else []


def _behind_comment(source: Source) -> int:
    found = re.match(rb"(?:\xef\xbb\xbf)?(?:\s*//[^\n]*\n|\s*/\*.*?\*/[^\n]*\n)*", source.text, re.DOTALL)
    return found.end() if found else 0
