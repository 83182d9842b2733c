"""Names that keep their library: those that code outside the tree prescribes."""

from collections.abc import Callable

from clang.cindex import Cursor
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.facts import Facts, Remark
from freehold_lab.switching.nodes import Node
from freehold_lab.switching.origins import Origins, is_of_library

NAMES = {Kind.TEMPLATE_REF, Kind.TYPE_REF}


class Keeping:
    def __init__(self, facts: Facts, origins: Origins, is_of_owners: Callable[[Cursor | None], bool]) -> None:
        self._facts = facts
        self._is_of_owners = is_of_owners
        self._origins = origins

    def note(self, nodes: list[Node]) -> None:
        for node in nodes:
            if node.kind == Kind.CXX_METHOD and self._is_of_owners(node.cursor):
                self._overriding(node)
            elif node.kind == Kind.CALL_EXPR and self._is_of_owners(node.cursor.referenced):
                self._called_back(node)
                self._made(node)

    def _overriding(self, method: Node) -> None:
        base = self._outermost(method.cursor)
        if base is not None:
            self._keep(method, f"overrides {clang.full_name(base)}, which is outside the tree")

    def _outermost(self, method: Cursor) -> Cursor | None:
        """Returns the function outside the tree that it overrides, directly or not."""
        for base in clang.overridden(method):
            if not self._origins.is_inside(clang.pattern(base)):
                return base
            if (found := self._outermost(base)) is not None:
                return found
        return None

    def _called_back(self, call: Node) -> None:
        """A function that is handed to code outside, which calls it with std's owners."""
        callee = clang.pattern(call.cursor.referenced)
        if self._origins.is_inside(callee) or is_of_library(callee):
            return
        parameters = clang.parameters(callee)
        for node, parameter in zip(call.arguments(), parameters, strict=False):
            if clang.mentions(parameter) and not clang.owner(parameter):
                for function in [node, *node.below()] if node else ():
                    if function.kind == Kind.LAMBDA_EXPR:
                        reason = f"{clang.full_name(callee)}, which is outside the tree, calls it"
                        self._keep(function, reason)
                        self._tell_deduced(function, reason)

    def _made(self, call: Node) -> None:
        name = clang.full_name(call.cursor.referenced)
        if name in ("std::make_shared", "std::allocate_shared") and self._origins.is_made_by_them(call.cursor):
            reason = "a class outside the tree derives from std::enable_shared_from_this"
            for node in call.children[0].below() if call.children else ():
                place = clang.place(node.cursor.location)
                if node.kind == Kind.DECL_REF_EXPR and place:
                    self._facts.kept[place] = reason

    def _keep(self, function: Node, reason: str) -> None:
        """Keeps the names of a function's type."""
        body = function.body()
        for child in function.children:
            for node in (child, *child.below()) if child is not body else ():
                place = clang.place(node.cursor.location)
                if node.kind in NAMES and place and place not in self._facts.kept:
                    target = node.cursor.referenced
                    if target is not None and clang.full_name(target) in ("std::shared_ptr", "std::weak_ptr"):
                        self._facts.kept[place] = reason
                    elif node.kind == Kind.TYPE_REF and target is not None and self._is_alias(target):
                        self._facts.remarks.add(
                            Remark(*place, f"{reason}: name std's type instead of {target.spelling}")
                        )

    def _tell_deduced(self, function: Node, reason: str) -> None:
        place = clang.place(function.cursor.location)
        if place and any(
            child.kind == Kind.PARM_DECL and "auto" in child.cursor.type.spelling for child in function.children
        ):
            self._facts.remarks.add(Remark(*place, f"{reason}: what its auto parameters are given is std's"))

    def _is_alias(self, cursor: Cursor) -> bool:
        alias = cursor.kind in (Kind.TYPEDEF_DECL, Kind.TYPE_ALIAS_DECL)
        return alias and self._origins.is_inside(cursor) and clang.owner(cursor.underlying_typedef_type) != ""
