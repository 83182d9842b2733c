R"py("

# The owners of Freehold: where each has its object and its counts.
#
# A string in C++, too, for gdb.hpp: hence the first line, the last, and no three single quotation marks in a row.
import re
from collections import namedtuple

import freehold_counts as counts
from freehold_counts import Counts
from freehold_values import split


class Owner:
    # An owner or a weak pointer, null if it is neither. Two templates hold what another owner holds, as a word:
    # snapshot_ptr and std::atomic.
    def __init__(self, value):
        self.value = value
        name = value.name(value.type)
        self.template = "atomic" if re.match(r"std::(\w+::)?atomic<", name) else split(name)[1]
        self.kind = OWNERS.get(self.template)
        if not self.kind:
            return
        wrapped = {"atomic": 0, "snapshot_ptr": 1}.get(self.template)
        self.type = value.type if wrapped is None else value.argument(value.type, wrapped)
        self.namespace, self.owner = split(value.name(self.type))
        if not self.namespace:
            self.kind = None
            return
        self.element = value.argument(self.type, 0)

    def policy(self):
        # Returns the name of the counting policy, or of the domain of a cyclic_ptr.
        return self.value.name(self.value.argument(self.type, 1))

    def address(self):
        return self.kind.address(self) if callable(self.kind.address) else self.value.of(self.kind.address)

    def counts(self):
        try:
            return self.kind.counts(self)
        except LookupError:
            return counts.UNKNOWN

    def name(self):
        # Returns the type as a program names it.
        prefix = "atomic_" if self.template == "atomic" else ""
        template = self.owner if self.template == "atomic" else self.template
        if self.owner in WITH_POLICY:
            prefix += next((word for policy, word in PREFIXES.items() if policy in self.policy()), "")
        return f"freehold::{prefix}{template}<{self.value.name(self.element)}>"

    def told(self):
        # Returns the type and the counts, for example "freehold::shared_ptr<node> (2 owners, 0 weak pointers)".
        found = self.counts()
        words = "" if found == counts.UNKNOWN else counts.told(found)
        return f"{self.name()} ({words})" if words else self.name()

    def has_object(self):
        return self.address() != 0 and self.counts().owners != 0


# Functions that return the counts of an owner.


def block(owner, counting, address):
    return owner.value.at(f"{owner.namespace}detail::control_block<{counting}>", address)


def in_handle(owner, counting, word):
    # pointers/detail/block_handle.hpp: the mark of an immortal is the highest of 64 bits, of 32 the second lowest.
    if word & (1 << 63 if owner.value.address_bytes() == 8 else 2):
        return counts.IMMORTAL
    if word == 0:
        return counts.EMPTY
    return counts.in_shared_count(block(owner, counting, word & ~1).field("count_"))  # 1 marks a copy of a sharded one


def by_handle(owner):
    return in_handle(owner, owner.policy(), owner.value.of("handle_.word_"))


def before_object(owner):
    address, alignment = owner.address(), owner.value.alignment(owner.element)
    offset = -(-block(owner, owner.policy(), 0).size() // alignment) * alignment
    return in_handle(owner, owner.policy(), address and address - offset)


def in_object(owner):
    address = owner.address()
    counted = address and owner.value.object(owner.element, address).base("ref_counted")
    if not counted:
        return counts.UNKNOWN if address else counts.EMPTY  # the user's functions count
    return counts.in_reference_count(counted.field("count_"))


def in_ring(owner, most=100_000):
    ring = owner.value.field("ring_")
    if owner.address() == 0:
        return counts.EMPTY
    owners, place = 1, ring.field("next_").target()
    while place.address() != ring.address() and owners < most:
        owners, place = owners + 1, place.field("next_").target()
    return Counts(owners, None)


def by_cleanup(owner):
    cleanup = owner.value.field("cleanup_")
    share = re.search(r"release_share<(.*)>", owner.value.symbol(cleanup.of("function_")))
    if share:
        return in_handle(owner, share[1], cleanup.of("manager_"))
    return Counts(1, None) if cleanup.of("function_") else counts.EMPTY


def in_header(owner):
    address = owner.address()
    return counts.in_cyclic_header(owner.value, owner.namespace, address - 8) if address else counts.EMPTY


def in_record(owner):
    if owner.value.of("record_.record_") == 0:
        return counts.EMPTY
    weak = owner.value.path("record_.record_").target().of("owners.owners_less_one_")
    if owner.address() == 0:
        return Counts(0, weak + 1)
    return Counts(in_header(owner).owners, weak)  # the table that finds the record is one of its owners


def by_watch(owner):
    watch = owner.value.field("watch_")
    if owner.address() == 0 or not watch.has_field("block_") or watch.of("block_") == 0:
        return counts.UNKNOWN if owner.address() else counts.EMPTY  # with NDEBUG, or the owner has no block
    # A type's name as a message has it: without the version.
    counting = watch.field("kind_").target().field("counting").text().replace("freehold::", owner.namespace, 1)
    return in_handle(owner, counting, watch.of("block_"))


def of_none(owner):
    return counts.UNKNOWN if owner.address() else counts.EMPTY


def until_cleared(owner):
    return counts.UNKNOWN if owner.address() else Counts(0, None)


def by_shared_word(owner):
    kind = OWNERS[owner.owner].counts
    return in_handle(owner, owner.policy(), in_shared_word(owner)[1]) if kind is by_handle else kind(owner)


# Functions that return the address of an owner's object.


def in_shared_word(owner):
    # Returns the object and the handle: pointers/detail/shared_word.hpp.
    word = owner.value.of("word_")
    if word == 3:
        return 0, 0
    if word & 3 == 3:
        space = owner.namespace + "detail::"
        record = owner.value.at(f"{space}basic_alias_record<{space}process_threading>", word - 3)
        return record.of("object"), record.of("handle")
    handle = (word & (1 << 48) - 1) - 1 if word & 1 else word
    distance = word >> 48 if word & 1 else 0
    return handle + distance + block(owner, owner.policy(), 0).size(), handle


def object_of_word(owner):
    is_shared = OWNERS[owner.owner].counts is by_handle
    return in_shared_word(owner)[0] if is_shared else owner.value.of("word_") & ~1


def object_of_record(owner):
    record = owner.value.path("record_.record_")
    header = record.target().of("object") if record.number() else 0
    return header and header + 8


Kind = namedtuple("Kind", "address counts")
OWNERS = {
    "shared_ptr": Kind("pointer_", by_handle),
    "weak_ptr": Kind("pointer_", by_handle),
    "thin_ptr": Kind("pointer_", before_object),
    "intrusive_ptr": Kind("pointer_", in_object),
    "linked_ptr": Kind("pointer_", in_ring),
    "managed_ptr": Kind("pointer_", by_cleanup),
    "borrowed_ptr": Kind("pointer_", by_watch),
    "snapshot_ptr": Kind("pointer_", by_shared_word),
    "atomic": Kind(object_of_word, by_shared_word),
    "cyclic_ptr": Kind("pointer_", in_header),
    "cyclic_weak_ptr": Kind(object_of_record, in_record),
    "parent_ptr": Kind("pointer_", in_header),
    "traced_ptr": Kind("object_", of_none),
    "atomic_traced_ptr": Kind("object_", of_none),
    "traced_view": Kind("object_", of_none),
    "traced_local": Kind("root_.object_", of_none),
    "traced_root": Kind("handle_.object", of_none),
    "traced_weak_ptr": Kind("handle_.object", until_cleared),
}
# Those whose second argument decides what they are called.
WITH_POLICY = ("shared_ptr", "weak_ptr", "thin_ptr", "cyclic_ptr", "cyclic_weak_ptr")
PREFIXES = {"plain_": "local_", "biased_": "biased_", "sharded_": "sharded_", "heap_domain": "concurrent_"}


# ")py"
