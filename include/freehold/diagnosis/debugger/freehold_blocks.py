R"py("

# What is at an address: which block of Freehold it is in, and what that says. The type is the name of the table that
# the block points to, so the program must have its symbols.
#
# A string in C++, too, for gdb.hpp: hence the first line, the last, and no three single quotation marks in a row.
import re

import freehold_counts as counts
from freehold_values import arguments, split

FARTHEST = 64 * 1024  # from an address within an object to the beginning of its block
CYCLIC_BLOCK = 64 * 1024
LARGEST_HEADER = 32


def told(values, address):
    # Returns a line, or an empty string if the address is in no such block. `values` is any Value.
    return _counted(values, address) or _cyclic(values, address)


def _counted(values, address):
    # The word of the table is the last of a control block: pointers/detail/control_block.hpp.
    for place in range((address & -8) + LARGEST_HEADER - 8, address - FARTHEST, -8):
        try:
            table = values.word(place)
        except LookupError:
            continue
        found = re.match(r"(freehold::.*?)typed_block<(.*)>::table$", values.symbol(table)) if table else None
        if not found:
            continue
        space, (kind, counting) = found[1], arguments(found[2])
        block = values.at(f"{space}control_block<{counting}>", 0)
        begin = place + 8 - block.size()
        template, held = split(kind)[1], arguments(kind[kind.index("<") + 1 : -1])[1]
        bytes_in_block = values.at(f"{space}block_operations<{counting}>", table).of("bytes")
        # Of an array, these are the bytes before its elements.
        if begin <= address and (address < begin + bytes_in_block or template == "array_block"):
            words = counts.told(counts.in_shared_count(values.object(block.type, begin).field("count_")))
            return f"{template} of {held} at {begin:#x}: {words}"
    return ""


def _cyclic(values, address):
    # cyclic/detail/cyclic_block.hpp: what describes a block of cells begins with the table of its type.
    try:
        described = address & -CYCLIC_BLOCK
        found = re.match(
            r"(freehold::.*?)detail::cyclic_object<(.*)>::type$", values.symbol(values.address_at(described))
        )
        if not found:
            return ""
        space, held = found[1], arguments(found[2])[0]
        shape = values.at(f"{space}detail::cyclic_block", described).field("type").target().field("shape")
        first = described - shape.of("description") + shape.of("first")
        begin = first + (address - first) // shape.of("bytes") * shape.of("bytes")
        if not values.at(f"{space}detail::cyclic_header", begin).of("state_") & 1:
            return f"free cell for {held} at {begin:#x}"
        return f"cyclic_object of {held} at {begin:#x}: {counts.told(counts.in_cyclic_header(values, space, begin))}"
    except LookupError:
        return ""


# ")py"
