"""Which library an owner is of once the tree is switched: Freehold's, or still that of code outside."""

from enum import Enum

from clang.cindex import Cursor, Type
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.facts import Facts, Place
from freehold_lab.switching.nodes import TRANSPARENT
from freehold_lab.switching.tree import Tree


class Origin(Enum):
    OURS = 1
    THEIRS = 2
    NEITHER = 3  # no owner: nullptr, a unique_ptr


PASSED_ON = {"std::move", "std::forward", "std::exchange", "std::as_const"}
CALLABLE = {
    *(Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.FUNCTION_TEMPLATE, Kind.CONVERSION_FUNCTION, Kind.CONSTRUCTOR),
}
ENDS_OF_TYPE = {Kind.PARM_DECL, Kind.COMPOUND_STMT}


def is_of_library(cursor: Cursor) -> bool:
    """Whether it is of the standard library or Boost.SmartPtr, which know no owners but those of the functions that
    Freehold has, too."""
    place = clang.place(cursor.location)
    return (
        clang.full_name(cursor).startswith("std::")
        or clang.is_internal(cursor)
        or (place is not None and "boost/smart_ptr" in str(place[0]))
    )


def _class_of(cursor: Cursor) -> str:
    return clang.full_name(cursor.semantic_parent) if cursor.semantic_parent is not None else ""


class Origins:
    def __init__(self, facts: Facts, tree: Tree) -> None:
        self._facts = facts
        self._tree = tree
        self.theirs_by_auto: set[Place] = set()  # variables whose type is deduced from code outside

    def is_inside(self, cursor: Cursor) -> bool:
        place = clang.place(cursor.location)
        return place is not None and self._tree.has(place[0])

    def of_declaration(self, cursor: Cursor) -> Origin:
        """Returns that of a variable, parameter or member, or of what a function returns."""
        made_from = clang.pattern(cursor)
        is_function = made_from.kind in CALLABLE
        type_ = made_from.result_type if is_function else made_from.type
        if not self.is_inside(made_from):
            return Origin.THEIRS if clang.mentions(type_) and not is_of_library(made_from) else Origin.OURS
        if clang.place(made_from.location) in self.theirs_by_auto:
            return Origin.THEIRS
        for child in made_from.get_children():
            if child.kind in ENDS_OF_TYPE:
                break
            if child.kind == Kind.TEMPLATE_REF and clang.place(child.location) in self._facts.kept:
                return Origin.THEIRS
            if child.kind == Kind.TYPE_REF and self._is_their_alias(child.referenced):
                return Origin.THEIRS
        return Origin.OURS

    def _is_their_alias(self, cursor: Cursor | None) -> bool:
        if cursor is None or cursor.kind not in (Kind.TYPEDEF_DECL, Kind.TYPE_ALIAS_DECL):
            return False
        if not self.is_inside(cursor):
            made_from = clang.pattern(cursor)
            return clang.mentions(made_from.underlying_typedef_type) and not is_of_library(cursor)
        return self.of_declaration(cursor) == Origin.THEIRS

    def of(self, cursor: Cursor) -> Origin:
        """Returns that of an expression."""
        inner = list(cursor.get_children())
        if cursor.kind in TRANSPARENT and len(inner) == 1:
            return self.of(inner[0])
        if not clang.mentions(cursor.type):
            return Origin.NEITHER
        if cursor.kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR):
            return self.of_declaration(cursor.referenced) if cursor.referenced is not None else Origin.OURS
        if cursor.kind == Kind.CONDITIONAL_OPERATOR and len(inner) == 3:
            return self.of(inner[1])
        if cursor.kind in (Kind.UNARY_OPERATOR, Kind.ARRAY_SUBSCRIPT_EXPR) and inner:
            return self.of(inner[0])
        if cursor.kind == Kind.CALL_EXPR and cursor.referenced is not None:
            return self._of_call(cursor)
        return Origin.OURS

    def _of_call(self, cursor: Cursor) -> Origin:
        callee = cursor.referenced
        arguments = list(cursor.get_arguments())
        if is_converting(cursor):
            return self.of(arguments[0])
        if clang.full_name(callee) in PASSED_ON and arguments:
            return self.of(arguments[0])
        if clang.full_name(callee) in ("std::make_shared", "std::allocate_shared"):
            return Origin.THEIRS if self.is_made_by_them(cursor) else Origin.OURS
        if callee.spelling in ("shared_from_this", "weak_from_this"):
            return Origin.THEIRS if self.is_made_by_them(cursor) else Origin.OURS
        if callee.kind == Kind.CONSTRUCTOR:
            return self._of_construction(cursor, arguments)
        if callee.spelling == "lock" and _class_of(callee).endswith("::weak_ptr"):
            return self.of_object(cursor)
        return self.of_declaration(callee)

    def _of_construction(self, cursor: Cursor, arguments: list[Cursor]) -> Origin:
        """A conversion from nullptr or from a closure, which names no type, is of neither library."""
        is_named = any(child.kind in (Kind.TEMPLATE_REF, Kind.TYPE_REF) for child in cursor.get_children())
        if is_named or len(arguments) > 1:
            return Origin.OURS
        return self.of(arguments[0]) if arguments else Origin.NEITHER

    def of_object(self, call: Cursor) -> Origin:
        """Returns that of the object whose member is called: of a weak pointer, of a container."""
        member = next(iter(call.get_children()), None)
        inner = list(member.get_children()) if member is not None else []
        return self.of(inner[0]) if inner else Origin.OURS

    def is_made_by_them(self, call: Cursor) -> bool:
        """Whether make_shared makes an object that code outside derives from std::enable_shared_from_this: only std's
        owners introduce themselves to it."""
        return self.shares_as_theirs(clang.pointee(call.type))

    def shares_as_theirs(self, type_: Type) -> bool:
        """Whether a class derives from std::enable_shared_from_this outside the tree."""
        return any(not self.is_inside(base) for base in self.introduced(type_.get_declaration()))

    def shares_as_ours(self, type_: Type) -> bool:
        return any(self.is_inside(base) for base in self.introduced(type_.get_declaration()))

    def introduced(self, class_: Cursor) -> list[Cursor]:
        """Returns where a class or its bases derive from std::enable_shared_from_this."""
        found = []
        definition = class_.get_definition()
        for base in clang.pattern(definition).get_children() if definition is not None else ():
            if base.kind == Kind.CXX_BASE_SPECIFIER:
                type_ = base.type.get_declaration()
                if clang.full_name(type_).endswith("::enable_shared_from_this"):
                    found.append(base)
                elif type_ != class_:
                    found += self.introduced(type_)
        return found


def is_converting(cursor: Cursor) -> bool:
    """Whether it is the constructor of an owner from one owner, as in a copy."""
    arguments = list(cursor.get_arguments())
    is_copy = cursor.referenced.kind == Kind.CONSTRUCTOR and len(arguments) == 1
    return is_copy and clang.owner(cursor.type) != "" and clang.owner(arguments[0].type) != ""
