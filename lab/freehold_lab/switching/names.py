"""What the pointers of std and Boost are called in Freehold, and the header of each name."""

from dataclasses import dataclass

POINTERS = "freehold/pointers/"
BRIDGE = "freehold/interop/std_bridge.hpp"
ATOMIC = POINTERS + "atomic_shared_ptr.hpp"


@dataclass(frozen=True)
class Name:
    """A name in namespace freehold, and the header that declares it."""

    text: str
    header: str


# Of both libraries: these keep their names.
COMMON = {
    "shared_ptr": "shared_ptr",
    "get_deleter": "shared_ptr",
    "bad_weak_ptr": "shared_ptr",
    "weak_ptr": "weak_ptr",
    "make_shared": "make_shared",
    "allocate_shared": "make_shared",
    "enable_shared_from_this": "enable_shared_from_this",
    "static_pointer_cast": "pointer_cast",
    "dynamic_pointer_cast": "pointer_cast",
    "const_pointer_cast": "pointer_cast",
    "reinterpret_pointer_cast": "pointer_cast",
    "owner_less": "owner_less",
}
ONLY_STD = {
    "make_shared_for_overwrite": "make_shared",
    "allocate_shared_for_overwrite": "make_shared",
    "owner_hash": "owner_less",
    "owner_equal": "owner_less",
}
# Functions for a shared_ptr that threads share. Others of these names are for std::atomic.
ATOMIC_ACCESS = {
    f"atomic_{function}"
    for function in (
        *("is_lock_free", "load", "load_explicit", "store", "store_explicit", "exchange", "exchange_explicit"),
        *("compare_exchange_weak", "compare_exchange_weak_explicit"),
        *("compare_exchange_strong", "compare_exchange_strong_explicit"),
    )
}
ONLY_BOOST = {
    "make_shared_noinit": ("make_shared_for_overwrite", "make_shared"),
    "allocate_shared_noinit": ("allocate_shared_for_overwrite", "make_shared"),
    "local_shared_ptr": ("local_shared_ptr", "local_shared_ptr"),
    "make_local_shared": ("make_local_shared", "local_shared_ptr"),
    "intrusive_ptr": ("intrusive_ptr", "intrusive_ptr"),
    "intrusive_ref_counter": ("ref_counted", "ref_counted"),
    "thread_safe_counter": ("atomic_counting", "ref_counted"),
    "thread_unsafe_counter": ("plain_counting", "ref_counted"),
    "atomic_shared_ptr": ("atomic_shared_ptr", "atomic_shared_ptr"),
}
# Boost's that have another form in Freehold: each is left.
ADVICE = {
    "boost::shared_array": "write freehold::shared_ptr<T[]>",
    "boost::owner_hash": "freehold::owner_hash has no template argument",
    "boost::owner_equal_to": "freehold::owner_equal has no template argument",
    "boost::enable_shared_from_raw": "see make_shared_with_weak",
}


def _names() -> dict[str, Name]:
    found = {f"{home}::{name}": Name(name, _header(file)) for name, file in COMMON.items() for home in ("std", "boost")}
    found |= {f"std::{name}": Name(name, _header(file)) for name, file in ONLY_STD.items()}
    found |= {f"std::{name}": Name(name, _header("shared_ptr_atomic_access")) for name in ATOMIC_ACCESS}
    found |= {f"boost::{name}": Name(new, _header(file)) for name, (new, file) in ONLY_BOOST.items()}
    # The same class as std's.
    del found["std::bad_weak_ptr"]
    return found


def _header(file: str) -> str:
    return f"{POINTERS}{file}.hpp"


SWITCHED = _names()
# As they are spelled in a program: where one of them stands, there is something to say.
SPELLINGS = {name.partition("::")[2] for name in (*SWITCHED, *ADVICE)}
# Headers that bring another of these.
BRINGS = {
    _header("make_shared"): {_header("shared_ptr")},
    _header("weak_ptr"): {_header("shared_ptr")},
    _header("pointer_cast"): {_header("shared_ptr")},
    _header("enable_shared_from_this"): {_header("shared_ptr"), _header("weak_ptr")},
    _header("owner_less"): {_header("shared_ptr"), _header("weak_ptr")},
    _header("ref_counted"): {_header("intrusive_ptr")},
    ATOMIC: {_header("shared_ptr"), _header("weak_ptr")},
    BRIDGE: {_header("shared_ptr"), _header("weak_ptr")},
}
