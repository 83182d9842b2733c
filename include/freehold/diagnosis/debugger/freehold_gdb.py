R"py("

# gdb's printers and xmethods for Freehold.
#
# A string in C++, too, for gdb.hpp: hence the first line, the last, and no three single quotation marks in a row.
from contextlib import suppress

import gdb
import gdb.printing
import gdb.xmethod

import freehold_counts as counts
import freehold_resources as resources
from freehold_gdb_value import CLASSES, GdbValue, plain
from freehold_owners import OWNERS, Owner, of_none
from freehold_values import split


def pointer(owner):
    element = owner.element
    if plain(element).code == gdb.TYPE_CODE_ARRAY:
        element = plain(element).target()
    return gdb.Value(owner.address()).cast(element.pointer())


class OwnerPrinter:
    within = False  # a pointee, which shows its own owners without their pointees: there may be cycles

    def __init__(self, owner):
        self.owner = owner

    def to_string(self):
        try:
            return self.owner.told() + self.pointee()
        except LookupError:
            return f"{self.owner.name()} (unreadable)"

    def pointee(self):
        found = pointer(self.owner)
        if OwnerPrinter.within or found.type.target().code == gdb.TYPE_CODE_VOID or not self.owner.has_object():
            return ""
        first = "[0] = " if plain(self.owner.element).code == gdb.TYPE_CODE_ARRAY else ""
        OwnerPrinter.within = True
        try:
            return f" to {first}{found.dereference().format_string(static_members=False)}"
        except gdb.MemoryError:
            return ""
        finally:
            OwnerPrinter.within = False

    def children(self):
        with suppress(LookupError):
            yield "get()", pointer(self.owner)


class LinePrinter:
    def __init__(self, tell):
        self.tell = tell

    def to_string(self):
        try:
            return self.tell()
        except LookupError:
            return "unreadable"


class Printers(gdb.printing.PrettyPrinter):
    def __call__(self, value):
        if plain(value.type).code not in CLASSES:
            return None
        value = GdbValue(value)
        owner = Owner(value)
        if owner.kind:
            return OwnerPrinter(owner)
        if resources.kind_of(value):
            return LinePrinter(lambda: resources.told(value))
        if split(value.name(value.type))[1] == "ref_counted":
            return LinePrinter(
                lambda: counts.number_of(counts.in_reference_count(value.field("count_")).owners, "owner")
            )
        return None


class Call(gdb.xmethod.XMethodWorker):
    def __init__(self, compute, result, arguments=()):
        self.compute, self.result, self.arguments = compute, result, arguments

    def get_arg_types(self):
        return [gdb.lookup_type(name) for name in self.arguments]

    def get_result_type(self, value, *_):
        # Asked instead of the call where only the type matters, as in whatis: the value's bytes are then zero.
        kind = value.type.target() if value.type.code == gdb.TYPE_CODE_PTR else value.type
        return self.result(plain(kind))

    def __call__(self, value, *arguments):
        value = value.dereference() if value.type.code == gdb.TYPE_CODE_PTR else value
        return self.compute(Owner(GdbValue(value)), *map(int, arguments))


class Calls(gdb.xmethod.XMethodMatcher):
    def __init__(self):
        super().__init__("freehold")
        self.methods = [gdb.xmethod.XMethod(name) for name in METHODS]

    def match(self, class_type, method_name):
        name = plain(class_type).name or ""
        if split(name)[1] == "ref_counted" and method_name == "use_count":
            return Call(lambda owner: counts.in_reference_count(owner.value.field("count_")).owners, named("long"))
        kind = OWNERS.get(split(name)[1])
        if not kind or method_name not in METHODS or (method_name in COUNTED and kind.counts is of_none):
            return None
        return METHODS[method_name]


def element(kind):
    found = kind.template_argument(0)
    return plain(found).target() if plain(found).code == gdb.TYPE_CODE_ARRAY else found


def named(name):
    return lambda kind: gdb.lookup_type(name)


def to_element(kind):
    return element(kind).pointer()


METHODS = {
    "operator*": Call(lambda owner: pointer(owner).dereference(), element),
    "operator->": Call(pointer, to_element),
    "operator[]": Call(lambda owner, i: pointer(owner)[i], element, ["long"]),
    "get": Call(pointer, to_element),
    "use_count": Call(lambda owner: owner.counts().owners, named("long")),
    "expired": Call(lambda owner: not owner.has_object(), named("bool")),
}
COUNTED = ("use_count", "expired")

gdb.printing.register_pretty_printer(gdb.current_objfile(), Printers("freehold"), replace=True)
gdb.xmethod.register_xmethod_matcher(gdb.current_objfile(), Calls(), replace=True)


# ")py"
