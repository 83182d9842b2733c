R"py("

# gdb's variables, as the other files of Freehold ask for them.
#
# A string in C++, too, for gdb.hpp: hence the first line, the last, and no three single quotation marks in a row.
import gdb

from freehold_values import Value

CLASSES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


class GdbValue(Value):
    def __init__(self, value):
        is_reference = value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
        self.value = value.referenced_value() if is_reference else value
        self.type = plain(self.value.type)

    def _fields(self):
        return [each for each in self.type.fields() if hasattr(each, "bitpos")] if self.type.code in CLASSES else []

    def field(self, name):
        return GdbValue(readable(lambda: self.value[name]))

    def has_field(self, name):
        return any(each.name == name for each in self._fields())

    def bases(self):
        return [GdbValue(self.value[each]) for each in self._fields() if each.is_base_class]

    def members(self):
        return [GdbValue(self.value[each]) for each in self._fields()]

    def number(self):
        return readable(lambda: int(self.value)) & (1 << 8 * self.type.sizeof) - 1

    def target(self):
        return GdbValue(self.value.dereference())

    def text(self):
        return readable(self.value.string)

    def address(self):
        return int(self.value.address)

    def size(self):
        return self.type.sizeof

    def object(self, kind, address):
        return GdbValue(gdb.Value(address).cast(kind.pointer()).dereference())

    def at(self, name, address):
        return self.object(readable(lambda: gdb.lookup_type(name)), address)

    def word(self, address, size=8):
        return int.from_bytes(readable(lambda: gdb.selected_inferior().read_memory(address, size)).tobytes(), "little")

    def address_bytes(self):
        return gdb.lookup_type("void").pointer().sizeof

    def symbol(self, address):
        found = gdb.execute(f"info symbol {address}", to_string=True)
        return "" if found.startswith("No symbol") else found.partition(" in section ")[0].strip()

    def name(self, kind):
        return plain(kind).name or str(kind)

    def argument(self, kind, index):
        return kind.template_argument(index)

    def alignment(self, kind):
        return plain(kind).alignof


def plain(kind):
    return kind.unqualified().strip_typedefs().unqualified()


def readable(read):
    try:
        return read()
    except gdb.error as fault:
        raise LookupError(str(fault)) from fault


# ")py"
