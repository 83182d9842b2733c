"""Which library an owner is of once the tree is switched: Freehold's, or still that of code outside."""

from enum import Enum

from clang.cindex import Cursor, Type
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.facts import Facts, Place
from freehold_lab.switching.names import SWITCHED
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
            return self._of_named(cursor, inner)
        if cursor.kind == Kind.CONDITIONAL_OPERATOR and len(inner) == 3:
            either = {self.of(inner[1]), self.of(inner[2])} - {Origin.NEITHER}
            return Origin.OURS if Origin.OURS in either else next(iter(either), Origin.NEITHER)
        if cursor.kind in (Kind.UNARY_OPERATOR, Kind.ARRAY_SUBSCRIPT_EXPR) and inner:
            return self.of(inner[0])
        if cursor.kind == Kind.CALL_EXPR and cursor.referenced is not None:
            return self._of_call(cursor)
        return Origin.OURS

    def _of_named(self, cursor: Cursor, inner: list[Cursor]) -> Origin:
        declared = cursor.referenced
        is_member = declared is not None and declared.kind == Kind.FIELD_DECL and inner
        if is_member and (is_of_library(declared) or _is_of_parameter(declared)):
            return self.of(inner[0])  # the second of a pair
        if declared is not None and declared.kind in CALLABLE:
            return Origin.OURS if self.is_inside(clang.pattern(declared)) else Origin.THEIRS
        return self.of_declaration(declared) if declared is not None else Origin.OURS

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
        if is_of_library(callee):
            return self._of_library_call(cursor, arguments)
        return self.of_declaration(callee)

    def _of_library_call(self, cursor: Cursor, arguments: list[Cursor]) -> Origin:
        """A member gives what its object has, and a function what it is given, as std::get does."""
        if cursor.referenced.kind in (Kind.CXX_METHOD, Kind.CONVERSION_FUNCTION):
            found = [self.of_object(cursor)]
        elif clang.full_name(cursor.referenced) in SWITCHED:
            found = []
        else:
            found = [self.of(argument) for argument in arguments]
        return next((origin for origin in found if origin != Origin.NEITHER), Origin.OURS)

    def _of_construction(self, cursor: Cursor, arguments: list[Cursor]) -> Origin:
        """A conversion from nullptr or from a closure, which names no type, is of neither library."""
        is_named = any(child.kind in (Kind.TEMPLATE_REF, Kind.TYPE_REF) for child in cursor.get_children())
        if is_named or len(arguments) > 1:
            return Origin.OURS
        if arguments and names_function(arguments[0]):
            return Origin.NEITHER
        return self.of(arguments[0]) if arguments else Origin.NEITHER

    def of_object(self, call: Cursor) -> Origin:
        """Returns that of the object whose member is called: of a weak pointer, of a container."""
        object_ = object_of(call)
        return self.of(object_) if object_ is not None else Origin.OURS

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


def _is_of_parameter(field: Cursor) -> bool:
    """Whether a member of a class template has an owner only where the template's argument is one."""
    class_ = clang.pattern(field.semantic_parent)
    same = [each for each in class_.get_children() if each.kind == Kind.FIELD_DECL and each.spelling == field.spelling]
    return class_.kind == Kind.CLASS_TEMPLATE and any(not clang.mentions(each.type) for each in same)


def is_converting(cursor: Cursor) -> bool:
    """Whether it is the constructor of an owner from one owner, as in a copy."""
    arguments = list(cursor.get_arguments())
    is_copy = cursor.referenced.kind == Kind.CONSTRUCTOR and len(arguments) == 1
    return is_copy and clang.owner(cursor.type) != "" and clang.owner(arguments[0].type) != ""


def object_of(call: Cursor) -> Cursor | None:
    """Returns the object whose member is called, unless it is this."""
    first = next(iter(call.get_children()), None)
    if first is None or is_operator_call(call):
        return first
    return next(iter(first.get_children()), None) if first.kind == Kind.MEMBER_REF_EXPR else None


def is_operator_call(call: Cursor) -> bool:
    """Whether a member is called as an operator: then the first argument is its object."""
    callee, first = call.referenced, next(iter(call.get_children()), None)
    is_operator = callee.kind == Kind.CXX_METHOD and callee.spelling.startswith("operator")
    is_named = first is not None and first.kind == Kind.MEMBER_REF_EXPR and first.spelling == callee.spelling
    return is_operator and not is_named


def names_function(cursor: Cursor) -> bool:
    """Whether an expression is a function, or its address."""
    inner = list(cursor.get_children())
    while cursor.kind in {*TRANSPARENT, Kind.UNARY_OPERATOR} and len(inner) == 1:
        cursor = inner[0]
        inner = list(cursor.get_children())
    return cursor.kind == Kind.DECL_REF_EXPR and cursor.referenced is not None and cursor.referenced.kind in CALLABLE
