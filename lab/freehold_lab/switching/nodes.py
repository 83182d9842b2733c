"""The cursors of one translation unit that stand in files of the tree, each with those above and below it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.facts import Place

PREPROCESSOR = range(500, 504)
# Between an expression and what it is used for, and nothing that is written.
TRANSPARENT = {Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR}
FUNCTIONS = {
    *(Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION),
    *(Kind.FUNCTION_TEMPLATE, Kind.LAMBDA_EXPR),
}


@dataclass(eq=False, slots=True)
class Node:
    cursor: Cursor
    kind: Kind
    parent: "Node | None"
    children: list["Node"] = field(default_factory=list)

    def below(self) -> Iterator["Node"]:
        waiting = self.children[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def above(self) -> Iterator["Node"]:
        parent = self.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    def function(self) -> "Node | None":
        """Returns the function in whose body it is."""
        return next((node for node in self.above() if node.kind in FUNCTIONS), None)

    def body(self) -> "Node | None":
        return next((child for child in self.children if child.kind in (Kind.COMPOUND_STMT, Kind.CXX_TRY_STMT)), None)

    def arguments(self) -> list["Node | None"]:
        """Returns those of a call. libclang gives them another parent than the same children where a variable is
        initialized, so they are told by what is written."""
        children = {child.cursor.data[1]: child for child in self.children}
        return [children.get(argument.data[1]) for argument in self.cursor.get_arguments()]

    def bare(self) -> "Node":
        """Returns the expression without conversions and parentheses around it."""
        node = self
        while node.kind in TRANSPARENT and len(node.children) == 1:
            node = node.children[0]
        return node


def read(unit: cindex.TranslationUnit, is_inside: Callable[[Path], bool]) -> tuple[list[Node], set[Place]]:
    """Returns all nodes, each before those below it, and where macros are used."""
    found: list[Node] = []
    macros = set()
    for cursor in unit.cursor.get_children():
        if cursor._kind_id in PREPROCESSOR and cursor.kind != Kind.MACRO_INSTANTIATION:
            continue
        place = clang.place(cursor.location)
        if place is None or not is_inside(place[0]):
            continue
        if cursor.kind == Kind.MACRO_INSTANTIATION:
            macros.add(place)
        else:
            found += _whole(cursor)
    return found, macros


def _whole(cursor: Cursor) -> list[Node]:
    """Returns the nodes of a declaration. Not by recursion, as a chain of operators may be deep."""
    found = []
    waiting = [Node(cursor, _kind(cursor), None)]
    while waiting:
        node = waiting.pop()
        found.append(node)
        node.children = [Node(child, _kind(child), node) for child in node.cursor.get_children()]
        waiting += reversed(node.children)
    return found


def _kind(cursor: Cursor) -> Kind:
    try:
        return cursor.kind
    except ValueError:  # newer than the bindings
        return Kind.UNEXPOSED_EXPR
