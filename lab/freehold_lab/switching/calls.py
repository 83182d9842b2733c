"""Where owners pass the border as arguments."""

from collections.abc import Callable

from clang.cindex import Cursor, Type
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.facts import Facts, Remark
from freehold_lab.switching.names import SWITCHED
from freehold_lab.switching.nodes import TRANSPARENT, Node
from freehold_lab.switching.origins import (
    CALLABLE,
    Origin,
    Origins,
    is_converting,
    is_of_library,
    is_operator_call,
    names_function,
    object_of,
)
from freehold_lab.switching.taking import Taker, keeper

MAKERS = {"std::make_unique", *(f"{home}::{name}_shared" for home in ("std", "boost") for name in ("make", "allocate"))}
COMPARISONS = {f"operator{sign}" for sign in ("==", "!=", "<=>", "<", ">", "<=", ">=")}


class Calls:
    def __init__(self, facts: Facts, origins: Origins, pass_: Callable[[Node, Taker], None]) -> None:
        self._facts = facts
        self._origins = origins
        self._pass = pass_

    def note(self, call: Node) -> None:
        made_from = clang.pattern(call.cursor.referenced)
        if made_from.spelling == "operator=" and is_of_library(made_from) and len(call.children) == 3:
            taken_by = call.children[0].cursor
            self._pass(call.children[2], Taker(self._origins.of(taken_by), taken_by.type))
        elif is_converting(call.cursor):
            pass  # What is copied passes to where the copy goes.
        elif (class_ := _forwarded_to(call.cursor, made_from)) is not None:
            self._forwarded(call, made_from, class_)
        elif is_of_library(made_from) and made_from.semantic_parent.kind == Kind.NAMESPACE:
            self._given_to_library(call, made_from)
        else:
            self._given(call, made_from)

    def named(self, reference: Node) -> None:
        """A function that is passed on as an object, not called."""
        function, call = reference.cursor.referenced, _call_above(reference)
        if function is None or function.kind not in CALLABLE or not clang.mentions(function.type):
            return
        if call is not None and (call.cursor.referenced is None or call.cursor.referenced == function):
            return
        place = clang.place(reference.cursor.location)
        made_from = clang.pattern(function)
        callee = _outermost_callee(call)
        by_them = callee if callee and not self._origins.is_inside(callee) and not is_of_library(callee) else None
        if place is None or is_of_library(made_from):
            return
        if not self._origins.is_inside(made_from) and not by_them:
            reason = f"{clang.full_name(function)}, a function outside the tree, is passed on as an object"
        elif self._origins.is_inside(made_from) and by_them and clang.mentions(by_them.type):
            reason = f"{clang.full_name(by_them)}, which is outside the tree, calls it with owners of std"
        else:
            return
        self._facts.remarks.add(Remark(*place, f"{reason}: pass a lambda that crosses, instead"))

    def _given(self, call: Node, made_from: Cursor) -> None:
        keeps = keeper(made_from, self._origins.is_inside(made_from))
        arguments = call.arguments()[1:] if is_operator_call(call.cursor) else call.arguments()
        parameters = zip(clang.parameters(made_from), _parameters(made_from), strict=False)
        for argument, (type_, declared) in zip(arguments, parameters, strict=False):
            if argument is not None:
                origin = self._target(call.cursor, made_from, type_, declared)
                taken = _weak_element(call.cursor) or type_ if is_of_library(made_from) else type_
                self._pass(argument, Taker(origin, taken, keeps, clang.full_name(made_from)))
        if made_from.kind == Kind.FUNCTION_TEMPLATE and self._origins.is_inside(made_from):
            self._deduced(made_from, arguments)

    def _deduced(self, made_from: Cursor, arguments: list[Node | None]) -> None:
        """A template of the tree that takes anything may ask whether it was given an owner, and then asks for ours."""
        names_owner = [clang.mentions(type_) for type_ in clang.parameters(made_from)]
        for number, argument in enumerate(arguments):
            is_named = number < len(names_owner) and names_owner[number]
            if argument is None or is_named or self._origins.of(argument.cursor) != Origin.THEIRS:
                continue
            if place := clang.start(argument.cursor):
                name = clang.full_name(made_from)
                reason = f"{name} takes any type, and gets an owner of std here: if it asks for one, give it from_std"
                self._facts.remarks.add(Remark(*place, reason))

    def _target(self, call: Cursor, made_from: Cursor, type_: Type, declared: Cursor | None) -> Origin:
        """Returns what a parameter takes. `type_`: that of the parameter in the template, if it is one."""
        if self._origins.is_inside(made_from):
            return self._origins.of_declaration(declared) if declared and clang.mentions(type_) else Origin.NEITHER
        if not is_of_library(made_from):
            return Origin.THEIRS if clang.mentions(type_) else Origin.NEITHER
        if made_from.kind == Kind.CONSTRUCTOR or call.referenced.kind == Kind.CONSTRUCTOR:
            return Origin.OURS if clang.owner(call.type) else Origin.NEITHER
        return self._origins.of_object(call)  # a member of a container takes what the container has

    def _given_to_library(self, call: Node, made_from: Cursor) -> None:
        """What std's templates are given may be of either library, but not of both."""
        arguments = [node for node in call.arguments() if node is not None and not names_function(node.cursor)]
        origins = {self._origins.of(node.cursor) for node in arguments}
        name = clang.full_name(made_from)
        if name in SWITCHED or (made_from.spelling in COMPARISONS and Origin.OURS in origins):
            for argument in arguments:
                self._pass(argument, Taker(Origin.OURS))
        elif {Origin.OURS, Origin.THEIRS} <= origins and (place := clang.start(call.cursor)):
            self._facts.remarks.add(Remark(*place, f"{name} is given owners of both libraries: convert one first"))

    def _forwarded(self, call: Node, made_from: Cursor, class_: Cursor) -> None:
        """What std's templates give to the constructor of a class of another library, which is not seen."""
        is_inside = self._origins.is_inside(class_)
        for argument in filter(None, call.arguments()):
            if is_inside:
                self._pass(argument, Taker(Origin.OURS))
            elif self._origins.of(argument.cursor) == Origin.OURS and (place := clang.start(argument.cursor)):
                to = f"{clang.full_name(class_)}, which is outside the tree: it needs to_std"
                name = clang.full_name(made_from)
                self._facts.remarks.add(Remark(*place, f"{name} passes an owner on to {to}"))


def _forwarded_to(call: Cursor, made_from: Cursor) -> Cursor | None:
    """Returns the class whose constructor gets the arguments, if it is none of the standard library."""
    if clang.full_name(made_from) in MAKERS:
        type_ = clang.pointee(call.type)
    elif is_of_library(made_from) and made_from.spelling.startswith("emplace") and (object_ := object_of(call)):
        type_ = clang.pointee(object_.type)
    else:
        return None
    class_ = clang.pattern(type_.get_declaration())
    is_class = class_.kind in (Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE)
    return class_ if is_class and not is_of_library(class_) else None


def _weak_element(call: Cursor) -> Type | None:
    """Returns the weak pointer that a container has, whose templates do not say it in their parameters."""
    object_ = object_of(call)
    type_ = object_.type.get_canonical() if object_ is not None else None
    count = min(2, type_.get_num_template_arguments()) if type_ is not None else 0
    types = [type_.get_template_argument_type(number) for number in range(count)]  # type: ignore[union-attr]
    return next((each for each in types if clang.owner(each).endswith("::weak_ptr")), None)


def _call_above(node: Node) -> Node | None:
    parent = next((above for above in node.above() if above.kind not in {*TRANSPARENT, Kind.UNARY_OPERATOR}), None)
    return parent if parent is not None and parent.kind == Kind.CALL_EXPR else None


def _outermost_callee(call: Node | None) -> Cursor | None:
    """Returns the function that is called with it, behind conversions such as to std::function."""
    while call is not None and (callee := call.cursor.referenced) is not None:
        if callee.kind != Kind.CONSTRUCTOR or not is_of_library(callee):
            return clang.pattern(callee)
        call = _call_above(call)
    return None


def _parameters(function: Cursor) -> list[Cursor | None]:
    found: list[Cursor | None] = [child for child in function.get_children() if child.kind == Kind.PARM_DECL]
    missing = len(clang.parameters(function)) - len(found)
    return found + [None] * missing
