"""Shared pointers that are passed by value, how the functions use them, and what the calls pass."""

import re
from collections.abc import Callable
from pathlib import Path

from clang.cindex import Cursor
from clang.cindex import CursorKind as Kind

from freehold_lab.switching import clang
from freehold_lab.switching.facts import ByValue, Facts
from freehold_lab.switching.lexing import Source
from freehold_lab.switching.nodes import FUNCTIONS, TRANSPARENT, Node
from freehold_lab.switching.origins import is_converting

# What a call passes.
LOCAL, TEMPORARY, MOVED, OTHER = "local", "temporary", "moved", "other"

TEMPLATES = {Kind.CLASS_TEMPLATE, Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, Kind.FUNCTION_TEMPLATE}
USES = {Kind.DECL_REF_EXPR, Kind.VARIABLE_REF}
STORING = {"push_back", "push_front", "insert", "emplace", "emplace_back", "emplace_front", "push"}


class Parameters:
    def __init__(self, facts: Facts, source: Callable[[Path], Source]) -> None:
        self._facts = facts
        self._source = source

    def note(self, nodes: list[Node]) -> None:
        for node in nodes:
            if node.kind in FUNCTIONS and node.body() is not None:
                self._define(node)
            elif node.kind == Kind.CALL_EXPR and node.cursor.referenced is not None:
                self._call(node)
            elif node.kind == Kind.DECL_REF_EXPR and not _is_called(node):
                target = node.cursor.referenced
                if target is not None and target.kind in (Kind.FUNCTION_DECL, Kind.CXX_METHOD):
                    self._facts.address_taken.add(target.get_usr())

    def _define(self, function: Node) -> None:
        parameters = [child for child in function.children if child.kind == Kind.PARM_DECL]
        for number, parameter in enumerate(parameters):
            place = clang.place(parameter.cursor.location)
            if place and _is_by_value(parameter.cursor):
                reason = self._reason(function, parameter.cursor)
                key = (function.cursor.get_usr(), number)
                name, of = parameter.cursor.spelling, clang.full_name(function.cursor)
                self._facts.by_value.add(ByValue(*place, name, of, key, reason, _is_quiet(function)))

    def _reason(self, function: Node, parameter: Cursor) -> str:
        if function.kind == Kind.LAMBDA_EXPR:
            return "of a lambda"
        if function.kind == Kind.CXX_METHOD and function.cursor.is_virtual_method():
            return "of a virtual function"
        if function.kind in TEMPLATES or clang.pattern(function.cursor.semantic_parent).kind in TEMPLATES:
            return "of a template"
        if self._is_coroutine(function):
            return "of a coroutine"
        uses = [node for node in function.below() if node.kind in USES and _refers(node.cursor, parameter)]
        return next(filter(None, (_demand(use, function) for use in uses)), "")

    def _is_coroutine(self, function: Node) -> bool:
        body = function.body()
        start, end = (clang.start(body.cursor), clang.end(body.cursor)) if body else (None, None)
        text = self._source(start[0]).text[start[1] : end[1]] if start and end else b""
        return re.search(rb"\bco_(await|yield|return)\b", text) is not None

    def _call(self, call: Node) -> None:
        callee = call.cursor.referenced
        if not any(map(_is_by_value, callee.get_arguments() or ())):
            return
        for number, node in enumerate(call.arguments()):
            if node is not None and clang.owner(node.cursor.type):
                self._facts.passed.add(((callee.get_usr(), number), _passed(node)))


def _refers(cursor: Cursor, declaration: Cursor) -> bool:
    target = cursor.referenced
    return target is not None and bool(target == declaration)


def _is_by_value(cursor: Cursor) -> bool:
    spelled = clang.canonical(cursor.type)
    return clang.owner(cursor.type).endswith("::shared_ptr") and not spelled.endswith("&")


def _is_called(reference: Node) -> bool:
    node = reference
    while node.parent is not None and node.parent.kind in TRANSPARENT:
        node = node.parent
    call = node.parent
    if call is None or call.kind != Kind.CALL_EXPR:
        return False
    return node not in call.arguments()


def _demand(use: Node, function: Node) -> str:
    """Returns why a use of the parameter needs an owner of the function's own, or nothing."""
    if use.kind != Kind.DECL_REF_EXPR or use.function() is not function:
        return "captured by a lambda"
    parent = use.parent
    is_read = "const" in use.cursor.type.spelling.partition("<")[0] or (
        parent is not None and parent.kind == Kind.UNEXPOSED_EXPR and parent.cursor.type.is_const_qualified()
    )
    outer = next((node for node in use.above() if node.kind not in TRANSPARENT), None)
    if not is_read:
        is_move = (
            outer is not None and outer.cursor.referenced is not None and outer.cursor.referenced.spelling == "move"
        )
        is_result = any(node.kind == Kind.RETURN_STMT for node in _conversions(use))
        return "moved from" if is_move else "returned" if is_result else "changed"
    call = outer.cursor.referenced if outer is not None and outer.kind == Kind.CALL_EXPR else None
    if call is not None and call.spelling in STORING:
        return "stored: std::move it"
    if call is not None and call.spelling == "operator=" and clang.owner(outer.cursor.type).endswith("shared_ptr"):  # type: ignore[union-attr]
        return "stored: std::move it"
    if call is not None and is_converting(outer.cursor):  # type: ignore[union-attr]
        ends = next((node for node in _conversions(use) if node.kind != Kind.CALL_EXPR), None)
        if ends is None or ends.kind in (Kind.VAR_DECL, Kind.CONSTRUCTOR, Kind.RETURN_STMT):
            return "stored: std::move it"
    return ""


def _conversions(use: Node) -> list[Node]:
    """Returns what is above a use, up to the first that is no conversion."""
    found = []
    for node in use.above():
        found.append(node)
        is_copy = node.kind == Kind.CALL_EXPR and node.cursor.referenced is not None and is_converting(node.cursor)
        if node.kind not in TRANSPARENT and not is_copy:
            break
    return [node for node in found if node.kind not in TRANSPARENT]


def _is_quiet(function: Node) -> bool:
    """Whether all that it calls only reads. Anything else may release the owner from which a reference came."""
    return all(_only_reads(node) for node in function.below())


def _only_reads(node: Node) -> bool:
    if node.kind == Kind.CXX_DELETE_EXPR:
        return False
    if node.kind != Kind.CALL_EXPR:
        return True
    callee = node.cursor.referenced
    if callee is None:
        return False
    if callee.kind in (Kind.CXX_METHOD, Kind.CONVERSION_FUNCTION):
        return bool(callee.is_const_method())
    return callee.kind == Kind.CONSTRUCTOR or clang.full_name(callee).startswith("std::")


def _passed(argument: Node) -> str:
    node = argument.bare()
    while node.kind == Kind.CALL_EXPR and node.cursor.referenced is not None and is_converting(node.cursor):
        node = node.children[-1].bare()
    target = node.cursor.referenced
    if node.kind == Kind.CALL_EXPR and target is not None:
        if clang.full_name(target) == "std::move":
            return MOVED
        return OTHER if clang.canonical(target.result_type).endswith("&") else TEMPORARY
    if node.kind == Kind.DECL_REF_EXPR and target is not None and target.kind in (Kind.VAR_DECL, Kind.PARM_DECL):
        function = node.function()
        is_owner = not clang.canonical(target.type).endswith("&")
        is_local = target.semantic_parent.kind in FUNCTIONS and target.storage_class.name in ("NONE", "AUTO")
        has_lambda = function is not None and any(each.kind == Kind.LAMBDA_EXPR for each in function.below())
        return LOCAL if is_owner and is_local and not has_lambda else OTHER
    return TEMPORARY if node.kind in (Kind.CXX_FUNCTIONAL_CAST_EXPR, Kind.CXX_NULL_PTR_LITERAL_EXPR) else OTHER
