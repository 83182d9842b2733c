"""Names of types, as a reader writes them."""

import re
from functools import cache
from typing import Any

from freehold_lab.owners.tables import freehold

# The classes of control blocks; the first argument is the object's type, or a pointer to it.
OF_BLOCK = re.compile(
    r"^[\w:]*?(?:_Sp_counted_\w+|__shared_ptr_\w+|__(?:un)?bounded_array_control_block|sp_counted_\w+|sp_array_base)<(.*)>$"
)
OF_ARRAY = re.compile(r"^[\w:]*?(?:_Sp_counted_array|__(?:un)?bounded_array|sp_array_base)")
SHORTER = (
    (re.compile(r"\bstd::__(?:1|cxx11|ndk1|Cr)::"), "std::"),
    (re.compile(r"std::basic_string<char, std::char_traits<char>, std::allocator<char> ?>"), "std::string"),
    (re.compile(r" >"), ">"),
)
# Arguments that templates of the standard library have where nothing else is said.
DEFAULTS = re.compile(r", std::(?:allocator|less|hash|equal_to|default_delete|char_traits)<")


@cache
def demangled(name: str) -> str:
    """Returns the whole name of the class with this mangled name."""
    return demangled_symbol("_ZTI" + name).removeprefix("typeinfo for ").removeprefix("_ZTI")


def demangled_function(name: str) -> str:
    """Returns the name of the function with this symbol."""
    return shorter(demangled_symbol(name))


def demangled_symbol(name: str) -> str:
    """Returns what the symbol stands for, or the symbol if that cannot be told."""
    import cxxfilt

    try:
        return str(_demangler().demangle(name))
    except cxxfilt.Error:
        return name


@cache
def _demangler() -> Any:
    import cxxfilt

    # By its name: to search for it takes tools of the system, which a container may lack.
    try:
        return cxxfilt.Demangler("libc.so.6", "libstdc++.so.6")
    except OSError:
        return cxxfilt.default_demangler


@cache
def object_type(block: str) -> str:
    """Returns the whole name of the type of the objects whose control blocks have a class with this mangled name."""
    if own := freehold.NAME.fullmatch(block):
        return own["type"] + ("[]" if own["contents"] == "elements" else "")
    if "I?" in block:
        return f"unnamed {block.partition('?')[2]}"
    plain = demangled(block)
    found = OF_BLOCK.match(plain)
    if not found:
        return plain
    first = _first_argument(found[1])
    allocator = OF_ARRAY.match(plain) and re.fullmatch(r"\w+::(?:\w+::)*(?:allocator|default_allocator)<(.*)>", first)
    return f"{allocator[1]}[]" if allocator else first.removesuffix("*").strip()


def readable(name: str) -> str:
    return shorter(demangled(name))


def of_object(block: str) -> str:
    return shorter(object_type(block))


@cache
def shorter(name: str) -> str:
    """Returns the name without what a reader knows, such as default arguments."""
    for pattern, text in SHORTER:
        while (less := pattern.sub(text, name)) != name:
            name = less
    at = 0
    while found := DEFAULTS.search(name, at):
        end = found.end() + len(_first_argument(name[found.end() :], ">")) + 1
        at = found.start()
        name = name[:at] + name[end:]
    return name


def _first_argument(arguments: str, end: str = ",") -> str:
    """Returns what is before the first `end` that is in no brackets."""
    depth = 0
    for at, letter in enumerate(arguments):
        if letter == end and depth == 0:
            return arguments[:at]
        depth += (letter in "<(") - (letter in ">)")
    return arguments
