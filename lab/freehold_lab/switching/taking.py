"""What takes an owner, and why it must not be given what a crossing returns, which is a temporary of its own block."""

from dataclasses import dataclass

from clang.cindex import Cursor, Type
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.nodes import Node
from freehold_lab.switching.origins import Origin, is_of_library


@dataclass(frozen=True)
class Taker:
    """A variable, member, parameter or result that an owner passes to."""

    origin: Origin
    type: Type | None = None
    keeper: str = ""  # what may keep a reference longer than a temporary lives
    changer: str = ""  # what is given a reference to change the owner

    def fault(self, expression: Node, source: Node, function: str) -> str:
        """Returns why `function` must not be written around `source`, or nothing. `expression` is that with the
        conversions."""
        types = [expression.cursor.type, *([self.type] if self.type is not None else [])]
        if any(clang.owner(type_).endswith("::weak_ptr") for type_ in types):
            return (
                f"a weak_ptr would be expired at once: keep what {function} returns in a shared_ptr, and refer to that"
            )
        spelled = clang.canonical(self.type) if self.type is not None else ""
        if spelled.endswith("&") and not spelled.endswith("&&") and not spelled.startswith("const "):
            home = "std" if self.origin == Origin.THEIRS else "Freehold"
            who = self.changer or "a reference that is not const"
            return f"{who} may change the owner that it is given: give it one of {home}, and convert that afterwards"
        if self.keeper and spelled.endswith("&") and not _is_temporary(source):
            keep = "keep it in a variable that lives as long"
            return f"{self.keeper} may keep a reference to the temporary that {function} returns: {keep}"
        return ""


def keeper(function: Cursor, is_inside: bool) -> str:
    """Returns the name of a function that may keep references to its arguments: a constructor, or what returns one. The
    constructor of a class of the tree is one only if the class has such a member."""
    if is_of_library(function):
        return ""
    if function.kind == Kind.CONSTRUCTOR:
        class_ = function.semantic_parent
        members = [child.type for child in class_.get_children() if child.kind == Kind.FIELD_DECL]
        is_kept = any(clang.mentions(type_) and clang.canonical(type_).endswith("&") for type_ in members)
        return clang.full_name(class_) if is_kept or not is_inside else ""
    is_passed_on = clang.canonical(function.result_type).endswith("&") and clang.mentions(function.result_type)
    return clang.full_name(function) if is_passed_on else ""


def _is_temporary(node: Node) -> bool:
    """Whether an expression is one already: then a crossing makes nothing worse."""
    if node.kind == Kind.CXX_FUNCTIONAL_CAST_EXPR:
        return True
    callee = node.cursor.referenced
    is_call = node.kind == Kind.CALL_EXPR and callee is not None
    return is_call and not clang.canonical(callee.result_type).endswith("&")
