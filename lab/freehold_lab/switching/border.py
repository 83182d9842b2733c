"""Where owners pass between the tree and code outside, which keeps std's: to_std and from_std, or a remark."""

from clang.cindex import Cursor, TypeKind
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.calls import Calls
from freehold_lab.switching.facts import Crossing, Facts, Remark
from freehold_lab.switching.keeping import Keeping
from freehold_lab.switching.nodes import FUNCTIONS, TRANSPARENT, Node
from freehold_lab.switching.origins import Origin, Origins, is_converting, is_of_library, names_function
from freehold_lab.switching.taking import Taker
from freehold_lab.switching.tree import Tree

RETURNING = FUNCTIONS - {Kind.LAMBDA_EXPR}
# Between a list of values and the variable that gets them.
LISTING = {*TRANSPARENT, Kind.CALL_EXPR}


class Border:
    def __init__(self, facts: Facts, tree: Tree) -> None:
        self._facts = facts
        self._origins = Origins(facts, tree)
        self._of_owners: dict[int, bool] = {}

    def note(self, nodes: list[Node]) -> None:
        Keeping(self._facts, self._origins, self._is_of_owners).note(nodes)
        calls = Calls(self._facts, self._origins, self._pass)
        for node in nodes:
            if node.kind in (Kind.VAR_DECL, Kind.FIELD_DECL) and self._is_of_owners(node.cursor):
                self._initialized(node)
            elif node.kind == Kind.RETURN_STMT:
                self._returned(node)
            elif node.kind == Kind.CONSTRUCTOR:
                self._members_initialized(node)
            elif node.kind == Kind.CALL_EXPR and self._is_of_owners(node.cursor.referenced):
                calls.note(node)
            elif node.kind == Kind.DECL_REF_EXPR:
                calls.named(node)
            elif node.kind == Kind.CONDITIONAL_OPERATOR and clang.owner(node.cursor.type):
                self._chosen(node)
            elif node.kind == Kind.INIT_LIST_EXPR:
                self._listed(node)
            elif node.kind == Kind.UNEXPOSED_DECL and node.cursor.spelling.startswith("[") and node.children:
                self._bound(node)
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
            if not is_deduced:
                self._keep_loop(variable)
            # A reference cannot refer to what from_std returns, a container cannot be converted.
            place = clang.place(variable.cursor.location)
            is_owner = clang.owner(variable.cursor.type) == "std::shared_ptr" and not is_range
            if place and (not is_owner or variable.cursor.type.spelling.endswith("&")):
                self._origins.theirs_by_auto.add(place)
            else:
                self._pass(value, Taker(Origin.OURS))

    def _keep_loop(self, variable: Node) -> None:
        """The variable of a loop over what code outside has may be a reference, so it keeps its type."""
        for child in variable.children:
            place = clang.place(child.cursor.location)
            if place and child.kind == Kind.TEMPLATE_REF:
                self._facts.kept[place] = "the loop is over owners of code outside"
            elif place and child.kind == Kind.TYPE_REF and clang.owner(child.cursor.type):
                name = child.cursor.referenced.spelling
                reason = f"the loop is over owners of code outside: write auto instead of {name}"
                self._facts.remarks.add(Remark(*place, reason))

    def _returned(self, node: Node) -> None:
        function = node.function()
        if function and function.kind == Kind.LAMBDA_EXPR and node.children:
            is_deduced = not any(child.kind in (Kind.TYPE_REF, Kind.TEMPLATE_REF) for child in function.children)
            place = clang.place(function.cursor.location)
            if is_deduced and place and self._origins.of(node.children[0].cursor) == Origin.THEIRS:
                self._origins.theirs_by_auto.add(place)
        elif function and function.kind in RETURNING and node.children and self._is_of_owners(function.cursor):
            origin = self._origins.of_declaration(function.cursor)
            caller = f"the caller of {clang.full_name(function.cursor)}"
            self._pass(node.children[0], Taker(origin, function.cursor.result_type, caller))

    def _members_initialized(self, constructor: Node) -> None:
        for member, value in zip(constructor.children, constructor.children[1:], strict=False):
            field = member.cursor.referenced
            if member.kind == Kind.MEMBER_REF and value.kind.is_expression() and field is not None:
                self._pass(value, Taker(self._origins.of_declaration(field), field.type, clang.full_name(field)))

    def _chosen(self, choice: Node) -> None:
        """Both branches of a ? : are of one library."""
        if len(choice.children) == 3 and self._origins.of(choice.cursor) == Origin.OURS:
            for branch in choice.children[1:]:
                self._pass(branch, Taker(Origin.OURS))

    def _listed(self, values: Node) -> None:
        """The elements of an array or container, or the members of an aggregate."""
        class_ = clang.pattern(values.cursor.type.get_declaration())
        members = list(class_.get_children())
        fields = [member for member in members if member.kind == Kind.FIELD_DECL]
        has_bases = any(member.kind == Kind.CXX_BASE_SPECIFIER for member in members)
        if fields and not has_bases and not is_of_library(class_) and len(values.children) <= len(fields):
            for field, value in zip(fields, values.children, strict=False):
                self._pass(value, Taker(self._origins.of_declaration(field), field.type, clang.full_name(field)))
        elif values.cursor.type.get_array_element_type().kind != TypeKind.INVALID:
            variable = next((node for node in values.above() if node.kind not in LISTING), None)
            if variable is not None and variable.kind in (Kind.VAR_DECL, Kind.FIELD_DECL):
                for value in values.children:
                    self._pass(value, Taker(self._origins.of_declaration(variable.cursor)))

    def _bound(self, binding: Node) -> None:
        """The names of a structured binding are of the library that the value is of."""
        is_range = binding.parent is not None and binding.parent.kind == Kind.CXX_FOR_RANGE_STMT
        value = _ranged_over(binding) if is_range else binding.children[-1]
        if value is not None and self._origins.of(value.cursor) == Origin.THEIRS:
            places = (clang.place(child.cursor.location) for child in binding.children)
            self._origins.theirs_by_auto |= {place for place in places if place}

    def _pass(self, expression: Node, taker: Taker) -> None:
        """Notes that an owner passes on to `taker`."""
        node = _source(expression)
        origin = self._origins.of(node.cursor)
        if Origin.NEITHER in (origin, taker.origin) or origin == taker.origin or names_function(node.cursor):
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
