R"py("

# The memory resources of Freehold, and its heap of traced objects: what each says of itself in a line.
#
# A string in C++, too, for gdb.hpp: hence the first line, the last, and no three single quotation marks in a row.
from collections import Counter

from freehold_counts import number_of
from freehold_values import split

SLAB_BYTES = 64 * 1024
NO_CLASS = 0xFFFF
MOST_CHUNKS = 10_000


def kind_of(value):
    # Returns the name of a resource's class without its namespace, or an empty string.
    name = split(value.name(value.type))[1]
    return name if name in RESOURCES else ""


def told(value):
    # Returns a line, for example "freehold::stack_resource (1008 bytes in chunks, 96 left in the current one)".
    kind = kind_of(value)
    figures = ", ".join(words.format(*(read(value) for read in reads)) for words, *reads in RESOURCES[kind])
    return f"freehold::{kind} ({figures})" if figures else f"freehold::{kind}"


def member(path):
    return lambda value: value.of(path)


def spare_bytes(path):
    return lambda value: value.of(path) * SLAB_BYTES


def difference(more, less):
    return lambda value: value.of(more) - value.of(less)


def in_chunks(value):
    found, chunk = 0, value.path("chunks_.newest_")
    for _ in range(MOST_CHUNKS):  # there may be no resource yet
        if chunk.number() == 0:
            break
        found += chunk.target().of("capacity")
        chunk = chunk.target().field("older")
    return found


SLABS = "{} bytes in slabs, {} of them spare"
LARGE = ("{} bytes in {} large blocks", member("large_.bytes_"), member("large_.count_"))
ARENA = ("{} bytes in chunks, {} left in the current one", in_chunks, difference("end_", "cursor_"))


def pool(cache):
    return [(SLABS, member(cache + ".bytes_"), spare_bytes(cache + ".spare_")), LARGE]


# What each resource says: words, and what goes between them.
RESOURCES = {
    "pool_resource": pool("source_.cache_"),
    "region_resource": pool("source_.cache_"),
    "run_length_resource": pool("source_.cache_"),
    "concurrent_pool_resource": pool("pool_.cache_"),
    "monotonic_resource": [ARENA, LARGE],
    "concurrent_monotonic_resource": [("{} bytes in chunks", in_chunks), LARGE],
    "stack_resource": [ARENA],
    "page_cache": [("{} bytes in use, {} idle", member("in_use_"), member("idle_.bytes_"))],
    "counting_resource": [
        (
            "{} bytes in {} live blocks, {} bytes at the peak, {} allocations",
            difference("totals_.bytes_allocated", "totals_.bytes_freed"),
            difference("totals_.allocations", "totals_.deallocations"),
            member("totals_.peak_bytes"),
            member("totals_.allocations"),
        )
    ],
    "limiting_resource": [("{} of {} bytes allocated", member("allocated_"), member("limit_"))],
    "failing_resource": [("{} allocations until one fails", member("allowed_"))],
    "aligned_resource": [("aligned to {} bytes", member("min_alignment_"))],
    "guard_resource": [],
    "logging_resource": [],
    "new_delete_resource": [],
    "null_resource": [],
    "synchronized_resource": [],
    "traced_heap": [
        (
            "{} bytes in chunks, {} of live objects at the last collection",
            member("collector_.space_.chunks.bytes_"),
            member("collector_.live_bytes_"),
        )
    ],
}
RESOURCES["shared_traced_heap"] = RESOURCES["traced_heap"]


def pool_lines(pool):
    # Returns what a slab_pool says of itself, a line each.
    cache = pool.field("cache_")
    lines = [SLABS.format(cache.of("bytes_"), cache.of("spare_") * SLAB_BYTES)]
    for block_class, count in sorted(_classes(cache).items()):
        lines.append(f"{_block_bytes(block_class):6} bytes a block: {number_of(count, 'slab')} of 64 KiB")
    return lines


def _classes(cache):
    # Returns the number of slabs by the class of their blocks: memory/detail/slab_cache.hpp.
    found = Counter()
    first = cache.field("first_")
    while first.number():
        chunk = first.target().field("chunk")
        for i in range(chunk.of("slabs")):
            slab = first.object(first.target().type, first.number() + i * SLAB_BYTES)
            if not chunk.of("spare") >> i & 1 and slab.of("block_class") != NO_CLASS:
                found[slab.of("block_class")] += 1
        first = chunk.field("next")
    return found


def _block_bytes(block_class):
    # As slab_class::bytes_of in memory/detail/slab.hpp.
    if block_class <= 32:
        return max(block_class, 1) * 16
    return (block_class - 33) % 8 + 9 << 6 + (block_class - 33) // 8


# ")py"
