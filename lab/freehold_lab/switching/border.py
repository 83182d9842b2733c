"""Where owners pass between the tree and code outside, which keeps std's: to_std and from_std, or a remark."""

from clang.cindex import Cursor, Type
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.facts import Crossing, Facts, Remark
from freehold_lab.switching.keeping import Keeping
from freehold_lab.switching.names import SWITCHED
from freehold_lab.switching.nodes import FUNCTIONS, Node
from freehold_lab.switching.origins import Origin, Origins, is_converting, is_of_library
from freehold_lab.switching.taking import Taker, keeper
from freehold_lab.switching.tree import Tree

RETURNING = FUNCTIONS - {Kind.LAMBDA_EXPR}


class Border:
    def __init__(self, facts: Facts, tree: Tree) -> None:
        self._facts = facts
        self._origins = Origins(facts, tree)
        self._of_owners: dict[int, bool] = {}

    def note(self, nodes: list[Node]) -> None:
        Keeping(self._facts, self._origins, self._is_of_owners).note(nodes)
        for node in nodes:
            if node.kind in (Kind.VAR_DECL, Kind.FIELD_DECL) and self._is_of_owners(node.cursor):
                self._initialized(node)
            elif node.kind == Kind.RETURN_STMT:
                self._returned(node)
            elif node.kind == Kind.CONSTRUCTOR:
                self._members_initialized(node)
            elif node.kind == Kind.CALL_EXPR and self._is_of_owners(node.cursor.referenced):
                self._called(node)
            elif node.kind in (Kind.CXX_FUNCTIONAL_CAST_EXPR, Kind.CXX_STATIC_CAST_EXPR) and node.children:
                self._pass(node.children[-1], Taker(Origin.OURS))

    def _is_of_owners(self, declaration: Cursor | None) -> bool:
        """Whether its type mentions an owner, as most do not."""
        if declaration is None:
            return False
        key = declaration.hash
        if key not in self._of_owners:
            self._of_owners[key] = clang.mentions(declaration.type)
        return self._of_owners[key]

    def _initialized(self, variable: Node) -> None:
        is_range = variable.parent is not None and variable.parent.kind == Kind.CXX_FOR_RANGE_STMT
        value = _ranged_over(variable) if is_range else variable.children[-1] if variable.children else None
        if value is None or not value.kind.is_expression():
            return
        is_deduced = variable.cursor.type.kind.name == "AUTO" or not any(
            child.kind in (Kind.TEMPLATE_REF, Kind.TYPE_REF) for child in variable.children
        )
        if not is_deduced and not is_range:
            self._pass(value, Taker(self._origins.of_declaration(variable.cursor), variable.cursor.type))
        elif self._origins.of(value.cursor) == Origin.THEIRS:
            # A reference cannot refer to what from_std returns, a container cannot be converted.
            place = clang.place(variable.cursor.location)
            is_owner = clang.owner(variable.cursor.type) == "std::shared_ptr" and not is_range
            if place and (not is_owner or variable.cursor.type.spelling.endswith("&")):
                self._origins.theirs_by_auto.add(place)
            else:
                self._pass(value, Taker(Origin.OURS))

    def _returned(self, node: Node) -> None:
        function = node.function()
        if function and function.kind in RETURNING and node.children and self._is_of_owners(function.cursor):
            origin = self._origins.of_declaration(function.cursor)
            caller = f"the caller of {clang.full_name(function.cursor)}"
            self._pass(node.children[0], Taker(origin, function.cursor.result_type, caller))

    def _members_initialized(self, constructor: Node) -> None:
        for member, value in zip(constructor.children, constructor.children[1:], strict=False):
            field = member.cursor.referenced
            if member.kind == Kind.MEMBER_REF and value.kind.is_expression() and field is not None:
                self._pass(value, Taker(self._origins.of_declaration(field), field.type, clang.full_name(field)))

    def _called(self, call: Node) -> None:
        callee = call.cursor.referenced
        if callee.spelling == "operator=" and clang.owner(call.cursor.type) and len(call.children) == 3:
            taken_by = call.children[0].cursor
            self._pass(call.children[2], Taker(self._origins.of(taken_by), taken_by.type))
        elif not callee.spelling.startswith("operator") and not is_converting(call.cursor):
            # What is copied passes to where the copy goes.
            made_from = clang.pattern(callee)
            keeps = keeper(made_from, self._origins.is_inside(made_from))
            parameters = zip(clang.parameters(made_from), _parameters(made_from), strict=False)
            for argument, (type_, declared) in zip(call.arguments(), parameters, strict=False):
                if argument is None:
                    continue
                origin = self._target(call.cursor, made_from, type_, declared)
                self._pass(argument, Taker(origin, type_, keeps, clang.full_name(made_from)))

    def _target(self, call: Cursor, made_from: Cursor, type_: Type, declared: Cursor | None) -> Origin:
        """Returns what a parameter takes. `type_`: that of the parameter in the template, if it is one."""
        if self._origins.is_inside(made_from):
            return self._origins.of_declaration(declared) if declared and clang.mentions(type_) else Origin.NEITHER
        if clang.mentions(type_) and not is_of_library(made_from):
            return Origin.THEIRS
        if clang.full_name(made_from) in SWITCHED:
            return Origin.OURS
        if made_from.kind == Kind.CONSTRUCTOR:
            return Origin.OURS if clang.owner(call.type) else Origin.NEITHER
        # A member of a container takes what the container has, any other template what it is given.
        return self._origins.of_object(call) if made_from.kind == Kind.CXX_METHOD else Origin.NEITHER

    def _pass(self, expression: Node, taker: Taker) -> None:
        """Notes that an owner passes on to `taker`."""
        node = _source(expression)
        origin = self._origins.of(node.cursor)
        if Origin.NEITHER in (origin, taker.origin) or origin == taker.origin:
            return
        function = "to_std" if taker.origin == Origin.THEIRS else "from_std"
        start, end = clang.start(node.cursor), clang.end(node.cursor)
        if start is None:
            return
        is_shared = clang.owner(node.cursor.type) == "std::shared_ptr"
        if is_shared and (fault := taker.fault(expression, node, function)):
            self._facts.remarks.add(Remark(*start, fault))
        elif end is None or start[0] != end[0] or start[1] >= end[1]:
            self._facts.remarks.add(Remark(*start, f"an owner passes the border in a macro: it needs {function}"))
        elif is_shared:
            self._facts.crossings.add(Crossing(start[0], start[1], end[1], function))
            if taker.origin == Origin.OURS and self._origins.shares_as_ours(clang.pointee(node.cursor.type)):
                reason = "shared_from_this() throws if code outside makes the object: make it in the tree"
                self._facts.remarks.add(Remark(*start, reason))
        else:
            reason = (
                f"{clang.shown(node.cursor.type)} passes the border to code outside; {function} does not convert it"
            )
            self._facts.remarks.add(Remark(*start, reason))


def _ranged_over(variable: Node) -> Node | None:
    """Returns the range of the loop whose variable it is."""
    siblings = variable.parent.children if variable.parent else []
    return next((node for node in siblings if node is not variable and node.kind.is_expression()), None)


def _source(node: Node) -> Node:
    """Returns the expression below conversions and copies."""
    while True:
        node = node.bare()
        if node.kind != Kind.CALL_EXPR or node.cursor.referenced is None or not is_converting(node.cursor):
            return node
        if not node.children:
            return node
        node = node.children[-1]


def _parameters(function: Cursor) -> list[Cursor | None]:
    found: list[Cursor | None] = [child for child in function.get_children() if child.kind == Kind.PARM_DECL]
    missing = len(clang.parameters(function)) - len(found)
    return found + [None] * missing
