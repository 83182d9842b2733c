R"py("

# gdb's command `freehold`, and what keeps `step` out of Freehold's functions.
#
# A string in C++, too, for gdb.hpp: hence the first line, the last, and no three single quotation marks in a row.
import re

import gdb

import freehold_blocks as blocks
import freehold_resources as resources
from freehold_gdb_value import GdbValue
from freehold_owners import Owner

# Also as a symbol: gdb 13 cannot read those of clang 19 that have a constraint.
SKIPPED = "^(freehold::|_ZNK?8freehold)"
# The functions and the files of libraries. The debugger may have the source of the C library, too.
LIBRARIES = re.compile(rf"{SKIPPED}|(std|__gnu_cxx|operator (new|delete))\b|_ZNK?St")
# The source of functions that call none of the user's, save upstreams.
LEAVES = re.compile(r"/freehold/(.*/)?(core|counting|memory)/[^/]*(/detail/[^/]*)?$")
LIBRARY_FILES = re.compile(r"(ld-linux|lib(c|m|pthread|gcc_s|stdc\+\+|c\+\+|c\+\+abi))[-.]")
MOST_STEPS = 10_000


class Commands(gdb.Command):
    """What Freehold's pointers and resources hold."""

    def __init__(self):
        super().__init__("freehold", gdb.COMMAND_DATA, prefix=True)


def asked_for(argument):
    # Returns the value of the expression.
    if not argument:
        raise gdb.GdbError("an expression is missing")
    try:
        return GdbValue(gdb.parse_and_eval(argument))
    except gdb.error as error:
        raise gdb.GdbError(str(error)) from error


def address_in(value, argument):
    # Returns the value as an address.
    try:
        return value.number()
    except (gdb.error, LookupError, OverflowError, ValueError) as error:
        raise gdb.GdbError(f"{argument} is neither an owner of Freehold nor an address") from error


class Owners(gdb.Command):
    """freehold owners EXPRESSION: the owners of the object at an address, and its type.
    The expression is an owner, or the address of an object or of its control block."""

    def __init__(self):
        super().__init__("freehold owners", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _):
        value = asked_for(argument)
        owner = Owner(value)
        if owner.kind:
            print(owner.told())
        else:
            address = address_in(value, argument)
            print(blocks.told(value, address) or f"{address:#x} is in no block of Freehold")


class Resource(gdb.Command):
    """freehold resource EXPRESSION: what a memory resource says of itself, and its upstreams.
    The expression is the resource, or a pointer to it, as of any std::pmr container."""

    def __init__(self):
        super().__init__("freehold resource", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _):
        value = asked_for(argument)
        if resources.kind_of(value).endswith("traced_heap"):
            print(resources.told(value))
            return
        address = value.number() if value.type.code == gdb.TYPE_CODE_PTR else value.address()
        while address:
            value = resource_at(value, address)
            is_ours = resources.kind_of(value)
            print(resources.told(value) if is_ours else value.name(value.type))
            address = value.of("upstream_") if is_ours and value.base("chained_resource") else 0


def resource_at(values, address):
    # By its virtual functions: the debugger need not know std::pmr::memory_resource, which the library describes.
    found = re.match(r"vtable for (.*?)(?: \+ \d+)?$", values.symbol(values.address_at(address)))
    if not found:
        raise gdb.GdbError(f"there is no memory resource at {address:#x}")
    try:
        return values.at(found[1], address)
    except LookupError as fault:
        raise gdb.GdbError(f"{found[1]} at {address:#x}: {fault}") from fault


class Heap(gdb.Command):
    """freehold heap: the slabs of the pool that small objects come from."""

    def __init__(self):
        super().__init__("freehold heap", gdb.COMMAND_DATA)

    def invoke(self, _, __):
        # Searched for: gdb does not look into a namespace that is inline.
        found = re.search(
            r"(freehold::\S*process_pool);", gdb.execute("info variables -q process_pool$", to_string=True)
        )
        if not found:
            raise gdb.GdbError("the program does not use the pool of small objects")
        print("\n".join(resources.pool_lines(GdbValue(gdb.parse_and_eval(found[1])))))


class Step(gdb.Command):
    """freehold step: steps into the next function that is neither Freehold's nor the standard library's.
    So make_shared<T>(...) leads to the constructor of T, and the last release to its destructor."""

    def __init__(self):
        super().__init__("freehold step", gdb.COMMAND_RUNNING)

    def invoke(self, _, __):
        skips = skips_of_freehold()
        is_quiet = gdb.parameter("suppress-cli-notifications")
        gdb.execute(f"skip disable {skips}", to_string=True)
        gdb.execute("set suppress-cli-notifications on")
        try:
            for _ in range(MOST_STEPS):
                gdb.execute("finish" if is_leaf(gdb.newest_frame()) else "step", to_string=True)
                if not is_in_library(gdb.newest_frame()):
                    break
        finally:
            gdb.execute(f"set suppress-cli-notifications {'on' if is_quiet else 'off'}")
            gdb.execute(f"skip enable {skips}", to_string=True)
        gdb.execute("frame")


def is_leaf(frame):
    source = frame.find_sal().symtab
    return frame.older() is not None and is_in_library(frame) and source and LEAVES.search(source.filename)


def is_in_library(frame):
    file = gdb.solib_name(frame.pc()) or ""
    return LIBRARIES.match(frame.name() or "") or LIBRARY_FILES.match(file.rpartition("/")[2])


def skips_of_freehold():
    listed = gdb.execute("info skip", to_string=True).splitlines()
    return " ".join(line.split()[0] for line in listed if line.split()[-1] == SKIPPED)


for each in (Commands, Owners, Resource, Heap, Step):
    each()
if not skips_of_freehold():
    gdb.execute(f"skip -rfu {SKIPPED}", to_string=True)


# ")py"
