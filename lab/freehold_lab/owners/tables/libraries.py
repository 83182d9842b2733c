"""What the control blocks of each library look like, by the names of their classes."""

import re
from dataclasses import dataclass
from functools import cache

from freehold_lab.owners.image.memory import WORD
from freehold_lab.owners.tables import freehold

MUTEX_BYTES = 40  # of pthread_mutex_t in libstdc++'s blocks that are built without atomic operations


@dataclass(frozen=True)
class Layout:
    """Where the counts are, in bytes from the start of a block."""

    library: str
    owners: int
    observers: int  # counts one more than the weak pointers while there are owners
    width: int  # bytes of a count
    least: int  # what a count is when it counts none
    houses: bool  # the object is in the block
    object: int  # bytes from the start of a block that houses its object to the object, unless it is aligned to more
    size: int = 0  # bytes of the whole block; 0: only its code knows
    table: int = 0  # where the pointer to the table is
    is_array: bool = False  # the elements are in the block, however many
    policy: str = ""  # how Freehold's block counts; its counts are in one word


@dataclass(frozen=True)
class Family:
    library: str
    pattern: re.Pattern[str]
    counts: tuple[int, int, int, int]  # owners, observers, width, least
    object: int


FAMILIES = (
    Family("libstdc++", re.compile(r"St\d+_Sp_counted_(?:ptr|deleter|ptr_inplace|array\w*)I"), (8, 12, 4, 0), 16),
    # Its inline namespace is __1, but has other names in browsers and on Android.
    Family(
        "libc++",
        re.compile(r"NSt\d+__\w*?\d\d__(?:shared_ptr_(?:emplace|pointer)|(?:un)?bounded_array_control_block)I"),
        (8, 16, 8, -1),
        24,
    ),
    Family("Boost", re.compile(r"N5boost6detail\d+sp_(?:counted_(?:impl_|array)|array_base)"), (8, 12, 4, 0), 32),
)
# Mangled names of blocks whose class has none in memory; a number follows. Whether the object is in the block is seen.
NAMELESS = {"libstdc++": "St15_Sp_counted_ptrI?", "libc++": "NSt3__120__shared_ptr_pointerI?"}
BESIDE = re.compile(
    r"_Sp_counted_(?:ptr|deleter)I|__shared_ptr_pointerI|sp_counted_impl_p(?:I|d(?!.*sp_[am]s_deleter))"
)
OF_ARRAY = re.compile(r"_Sp_counted_array|bounded_array_control_block|sp_(?:counted_impl_)?array")
OF_ONE_POINTER = re.compile(r"St15_Sp_counted_ptrI(?!\?)|N5boost6detail\d+sp_counted_impl_pI")
WITH_MUTEX = "_Lock_policyE1E"


@cache
def layout(name: str) -> Layout | None:
    """Returns the layout of a block whose class has this mangled name, or None if it is no block."""
    if own := freehold.NAME.fullmatch(name):
        is_array = own["contents"] == "elements"
        houses = is_array or own["contents"] == "object"
        place, table = int(own["place"]), int(own["table"])
        return Layout("Freehold", 0, 0, WORD, 0, houses, place, table=table, is_array=is_array, policy=own["counts"])
    for each in FAMILIES:
        if each.pattern.match(name):
            owners, observers, width, least = each.counts
            more = MUTEX_BYTES if WITH_MUTEX in name else 0
            houses = BESIDE.search(name) is None
            size = 24 + more if OF_ONE_POINTER.match(name) else 0
            is_array = OF_ARRAY.search(name) is not None
            return Layout(
                each.library,
                owners + more,
                observers + more,
                width,
                least,
                houses,
                each.object + more,
                size,
                0,
                is_array,
            )
    return None
