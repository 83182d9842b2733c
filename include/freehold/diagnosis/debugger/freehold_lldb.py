"""lldb's formatters for Freehold: `command script import` of this file."""

import os
import sys
from contextlib import suppress

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import freehold_resources as resources
from freehold_owners import OWNERS, Owner
from freehold_values import Value

CLASSES = (lldb.eTypeClassClass, lldb.eTypeClassStruct, lldb.eTypeClassUnion)
CATEGORY = "freehold"


class LldbValue(Value):
    """lldb's variables, as the other files of Freehold ask for them."""

    def __init__(self, value):
        value = value.GetNonSyntheticValue()
        self.value = value.Dereference() if value.GetType().IsReferenceType() else value
        self.type = plain(self.value.GetType())
        self.program = value.GetTarget()

    def field(self, name):
        return LldbValue(valid(self.value.GetChildMemberWithName(name), name))

    def has_field(self, name):
        return self.value.GetChildMemberWithName(name).IsValid()

    def bases(self):
        return self._parts(self.type.GetDirectBaseClassAtIndex, self.type.GetNumberOfDirectBaseClasses())

    def members(self):
        if self.type.GetTypeClass() not in CLASSES:
            return []
        return self.bases() + self._parts(self.type.GetFieldAtIndex, self.type.GetNumberOfFields())

    def _parts(self, at, number):
        parts = [at(i) for i in range(number)]
        return [
            LldbValue(self.value.CreateChildAtOffset(part.GetName(), part.GetOffsetInBytes(), part.GetType()))
            for part in parts
        ]

    def number(self):
        error = lldb.SBError()
        number = self.value.GetValueAsUnsigned(error, 0)
        return checked(number, error)

    def target(self):
        return LldbValue(self.value.Dereference())

    def text(self):
        return self._read(self.number(), 256).partition(b"\0")[0].decode()

    def address(self):
        return self.value.GetLoadAddress()

    def size(self):
        return self.type.GetByteSize()

    def object(self, kind, address):
        place = lldb.SBAddress(address, self.program)
        return LldbValue(self.program.CreateValueFromAddress("object", place, kind))

    def at(self, name, address):
        return self.object(valid(self.program.FindFirstType(name), name), address)

    def word(self, address, size=8):
        return int.from_bytes(self._read(address, size), "little")

    def address_bytes(self):
        return self.program.GetAddressByteSize()

    def _read(self, address, length):
        # By the target: a core file does not have the constants of the program.
        error = lldb.SBError()
        return checked(self.program.ReadMemory(lldb.SBAddress(address, self.program), length, error), error)

    def symbol(self, address):
        return self.program.ResolveLoadAddress(address).GetSymbol().GetName() or ""

    def name(self, kind):
        return plain(kind).GetName()

    def argument(self, kind, index):
        return valid(plain(kind).GetTemplateArgumentType(index), "a template argument")

    def alignment(self, kind):
        return plain(kind).GetByteAlign()


def plain(kind):
    return kind.GetDereferencedType() if kind.IsReferenceType() else kind.GetCanonicalType().GetUnqualifiedType()


def valid(found, name):
    if not found.IsValid():
        raise LookupError(name)
    return found


def checked(read, error):
    if error.Fail():
        raise LookupError(error.GetCString())
    return read


def summary_of_owner(value, _):
    try:
        return Owner(LldbValue(value)).told()
    except LookupError:
        return "unreadable"


def summary_of_resource(value, _):
    try:
        return resources.told(LldbValue(value))
    except LookupError:
        return "unreadable"


class ChildrenOfOwner:
    """The pointer of an owner. lldb looks through it for `p->x`, and for `*p`."""

    def __init__(self, value, _):
        self.value = value

    def update(self):
        owner = Owner(LldbValue(self.value))
        element = owner.element.GetArrayElementType() if owner.element.IsArrayType() else owner.element
        self.children = 0
        with suppress(LookupError):
            # Made of the bytes of its address, as no place of the program need hold it.
            size = owner.value.address_bytes()
            data_of = lldb.SBData.CreateDataFromUInt64Array if size == 8 else lldb.SBData.CreateDataFromUInt32Array
            data = data_of(lldb.eByteOrderLittle, size, [owner.address()])
            self.pointer = self.value.CreateValueFromData("get()", data, element.GetPointerType())
            self.children = 1 + owner.has_object()

    def num_children(self):
        return self.children

    def has_children(self):
        return True

    def get_child_index(self, name):
        return {"get()": 0, "*get()": 1, "$$dereference$$": 1}.get(name, -1)

    def get_child_at_index(self, index):
        return self.pointer if index == 0 else self.pointer.Dereference().Clone("*get()")


def __lldb_init_module(debugger, _):
    inner = "([a-z0-9_]+::)*"  # lldb knows no \w
    owners = rf"^(freehold::{inner}({'|'.join(OWNERS)})|std::{inner}atomic<freehold::.*_ptr)<.*>( const)?$"
    kinds = rf"^freehold::{inner}({'|'.join(resources.RESOURCES)})( const)?$"
    for command in (
        f"type summary add -w {CATEGORY} -e -F {__name__}.summary_of_owner -x '{owners}'",
        f"type synthetic add -w {CATEGORY} -l {__name__}.ChildrenOfOwner -x '{owners}'",
        f"type summary add -w {CATEGORY} -F {__name__}.summary_of_resource -x '{kinds}'",
        f"type category enable {CATEGORY}",
    ):
        debugger.HandleCommand(command)
