"""What each name of the tree means that is spelled like one that is switched."""

import re
from collections.abc import Callable
from pathlib import Path

from clang.cindex import Cursor
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.facts import Facts, Place, Remark
from freehold_lab.switching.lexing import Source
from freehold_lab.switching.names import ADVICE, ATOMIC, ATOMIC_ACCESS, SPELLINGS, SWITCHED
from freehold_lab.switching.nodes import Node

REFERENCES = {Kind.TEMPLATE_REF, Kind.TYPE_REF, Kind.OVERLOADED_DECL_REF, Kind.DECL_REF_EXPR}
NOTED = {*SPELLINGS, "atomic", "any_cast"}
UNDECIDED = "undecided"
ATOMIC_OWNER = re.compile(r"\batomic<\s*" + clang.OWNER)


class Meanings:
    def __init__(self, facts: Facts, macros: set[Place], source: Callable[[Path], Source | None]) -> None:
        self._facts = facts
        self._macros = macros
        self._source = source

    def note(self, node: Node) -> None:
        if node.kind == Kind.NAMESPACE_REF:
            self._note_qualifier(node.cursor)
        elif node.kind in REFERENCES and _last_part(node.cursor.spelling) in NOTED:
            self._note_reference(node)
        elif node.cursor.spelling in SPELLINGS and node.kind.is_declaration():
            self._note_declaration(node)

    def _note_qualifier(self, cursor: Cursor) -> None:
        place = clang.place(cursor.location)
        home = _namespace(cursor)
        if place and home in ("std", "boost"):
            self._facts.qualifiers[place] = home

    def _note_reference(self, node: Node) -> None:
        place = clang.place(node.cursor.location)
        source = self._source(place[0]) if place else None
        if place is None or source is None:
            return
        found = clang.candidates(node.cursor)
        if node.kind == Kind.DECL_REF_EXPR and found and found[0].kind == Kind.OVERLOADED_DECL_REF:
            return  # the reference itself is below
        spelled = source.spelled(place[1])
        if spelled in SPELLINGS:
            meaning = self._meaning(node, found)
            self._facts.meanings[place] = meaning
            if meaning in ADVICE:
                self._facts.remarks.add(Remark(*place, f"{meaning}: {ADVICE[meaning]}"))
        elif place in self._macros and found and clang.full_name(found[0]) in SWITCHED:
            name = clang.full_name(found[0])
            self._facts.remarks.add(Remark(*place, f"the macro {spelled} names {name}"))
        if found and node.kind == Kind.TEMPLATE_REF and clang.full_name(found[0]) == "std::atomic" and node.parent:
            self._note_atomic(node.parent, place[0])
        if found and found[0].spelling == "any_cast" and re.search(clang.OWNER, clang.canonical(found[0].type)):
            reason = "any_cast to a shared pointer: all code that stores one there must be switched"
            self._facts.remarks.add(Remark(*place, reason))

    def _meaning(self, node: Node, found: list[Cursor]) -> str:
        names = {clang.full_name(each) for each in found}
        name = next(iter(names)) if len(names) == 1 else UNDECIDED
        if name.partition("::")[2] in ATOMIC_ACCESS and name in SWITCHED:
            return self._atomic_access(node, found, name)
        return name

    def _atomic_access(self, node: Node, found: list[Cursor], name: str) -> str:
        """In a template std::atomic_load may be the one for shared_ptr or the one for atomic: the argument tells."""
        for_owners = {any(map(clang.mentions, clang.parameters(each))) for each in found}
        if len(for_owners) == 1:
            return name if True in for_owners else f"{name} of std::atomic"
        call = next((above for above in node.above() if above.kind == Kind.CALL_EXPR), None)
        types = [below.cursor.type for below in call.below()] if call else []
        return name if any("shared_ptr<" in type_.spelling for type_ in types) else UNDECIDED

    def _note_atomic(self, whole: Node, file: Path) -> None:
        if ATOMIC_OWNER.search(clang.canonical(whole.cursor.type)):
            self._facts.needed.add((file, ATOMIC))

    def _note_declaration(self, node: Node) -> None:
        place = clang.place(node.cursor.location)
        if place and node.kind not in (Kind.USING_DECLARATION, Kind.USING_DIRECTIVE):
            name = clang.full_name(node.cursor)
            self._facts.meanings.setdefault(place, f"the tree's {name}")
            if name in SWITCHED:
                self._facts.remarks.add(Remark(*place, f"declares {name} itself: include its header instead"))


def _last_part(name: str) -> str:
    return name.partition("<")[0].rpartition("::")[2]


def _namespace(cursor: Cursor) -> str:
    """Returns the name of a namespace, or of the one that an alias stands for."""
    found = cursor.referenced
    while found is not None and found.kind == Kind.NAMESPACE_ALIAS:
        target = [child for child in found.get_children() if child.kind == Kind.NAMESPACE_REF]
        found = target[-1].referenced if target else None
    return clang.full_name(found) if found is not None else ""
