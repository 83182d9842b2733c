R"py("

# What the count words of Freehold say. The one place that repeats counting/shared_count.hpp, biased_counting.hpp and
# sharded_counting.hpp for debuggers. Words are signed.
#
# A string in C++, too, for gdb.hpp: hence the first line, the last, and no three single quotation marks in a row.
from collections import namedtuple

# `weak` is None where the number of weak pointers is not known, and `owners` where that of owners is not.
Counts = namedtuple("Counts", "owners weak")
UNKNOWN = Counts(None, None)
EMPTY = Counts(0, 0)
IMMORTAL = Counts(2**63 - 1, None)

ONE_OWNER = 1 << 28
EXPIRED_FROM = -(1 << 61)
BIASED_FROM, QUEUED, BIASED = 2 << 60, 4 << 60, 6 << 60
SHARDS_OPEN = 1 << 62
SHARD_BYTES, MOST_SHARDS, SHARDS_ALIGNMENT = 64, 64, 256
CYCLIC_BLOCK = 64 * 1024
SHARED_FLAG_BITS = 5


def signed(word, bits=64):
    return word - (1 << bits) if word >> (bits - 1) & 1 else word


def in_word(word):
    weak = word % ONE_OWNER
    if word >= 0:
        return Counts(word // ONE_OWNER + 1, weak - 1)  # all owners together are one of these
    if word < EXPIRED_FROM:
        return IMMORTAL
    if word < -ONE_OWNER:
        return Counts(0, weak)
    return Counts(int(weak > 1), weak - 1)  # the last owner is leaving: what has weak pointers may still be locked


def in_biased(word, apart):
    if word < BIASED_FROM:
        return in_word(word)
    is_queued = word < BIASED
    elsewhere = (word - (QUEUED if is_queued else BIASED)) // ONE_OWNER
    return Counts(max(apart + elsewhere - is_queued, 1), word % ONE_OWNER - 1)


def in_sharded(word, shards, read):
    # `read` returns the 8 bytes at an address.
    if word < SHARDS_OPEN - ONE_OWNER:
        return in_word(word)
    first, last = shards & -SHARDS_ALIGNMENT, shards >> 2 & MOST_SHARDS - 1
    each = [signed(read(first + i * SHARD_BYTES)) for i in range(last + 1)] if shards & 1 == 0 else []
    copies = sum(count for count in each if count > EXPIRED_FROM)  # a closed shard has less
    return Counts(max((word - SHARDS_OPEN) // ONE_OWNER + 1 + copies, 1), word % ONE_OWNER - 1)


def in_shared_count(count):
    # `count` is a freehold_values.Value.
    if count.has_field("apart_"):
        return in_biased(signed(count.of("merged_.word_")), signed(count.of("apart_")))
    if count.has_field("shards_"):
        return in_sharded(signed(count.of("root_.word_")), count.of("shards_"), count.word)
    return in_word(signed(count.of("word_")))


def in_reference_count(count):
    seen = signed(count.of("owners_less_one_"))
    return Counts(seen + 1 if seen < 1 << 61 else 0, None)


def in_cyclic_header(values, namespace, address):
    # cyclic/detail/cyclic_header.hpp. Objects that threads share may have second counts: shared_owners.hpp there.
    header = values.at(namespace + "detail::cyclic_header", address)
    if not header.of("state_") & 1:  # the cell is free
        return Counts(0, None)
    seen = signed(header.of("owners_less_one_"), 32)
    if seen < -1:
        return IMMORTAL
    block = values.at(namespace + "detail::cyclic_block", address & -CYCLIC_BLOCK)
    if block.of("registry") and values.word(block.field("owner").address()) & 1:
        shape = block.field("type").target().field("shape")
        memory = block.address() - shape.of("description")
        place = (address - memory - shape.of("first")) // shape.of("bytes")
        seen += signed(values.word(memory + shape.of("shared") + 8 * place)) >> SHARED_FLAG_BITS
    return Counts(seen + 1, None)


def told(counts):
    # Returns the counts in words, for example "2 owners, 0 weak pointers".
    if counts == IMMORTAL:
        return "immortal"
    if counts == EMPTY:
        return "empty"
    owners = "expired" if counts.owners == 0 else number_of(counts.owners, "owner")
    return ", ".join(part for part in (owners, number_of(counts.weak, "weak pointer")) if part)


def number_of(count, noun):
    return "" if count is None else f"{count} {noun}{'' if count == 1 else 's'}"


# ")py"
