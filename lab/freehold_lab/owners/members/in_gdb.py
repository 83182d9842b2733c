"""Runs in gdb, which knows the debug information: reads places from a file, and writes their members to another.

The laboratory does not import it. What it reads are rows of a type's name and an offset in bytes; what it writes are
rows of the member's name and of "owner", "weak" or an empty text, or null where nothing is known. A vector of pointers
that count is "owner[]" or "weak[]".
"""

import json
import os
import re
from typing import Any

import gdb

POINTERS = {
    "owner": re.compile(r"^(?:std|boost|freehold)::(?:\w+::)*(?:__)?(?:\w+_)?shared_ptr\b"),
    "weak": re.compile(r"^(?:std|boost|freehold)::(?:\w+::)*(?:__)?(?:\w+_)?(?:weak_ptr|enable_shared_from_this)\b"),
}
VECTOR = re.compile(r"^(?:std|boost::container)::(?:\w+::)*vector<")
COMPOUND = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def member(type: Any, offset: int) -> tuple[str, str]:
    """Returns the name of what is at the offset in an object of the type, and the kind of pointer that it is."""
    type = type.strip_typedefs()
    for kind, pattern in POINTERS.items():
        if pattern.match(str(type)):
            return ("(enable_shared_from_this)" if "enable" in str(type) else ""), kind
    if VECTOR.match(str(type)) and offset == 0:
        name, kind = member(type.template_argument(0), 0)
        return "", "" if name else f"{kind}[]" * bool(kind)
    if type.code == gdb.TYPE_CODE_ARRAY:
        element = type.target()
        name, kind = member(element, offset % element.sizeof)
        return f"[{offset // element.sizeof}]{name}", kind
    for field in type.fields() if type.code in COMPOUND else ():
        if not hasattr(field, "bitpos"):  # static
            continue
        begin = field.bitpos // 8
        if begin <= offset < begin + max(field.type.sizeof, 1):
            name, kind = member(field.type, offset - begin)
            if not kind and str(type).startswith("std::"):
                return "", ""  # how the library has made it is nobody's business
            own = "" if field.is_base_class or field.name is None else f".{field.name}"
            return own + name, kind
    return "", ""


def answer(name: str, offset: int) -> tuple[str, str] | None:
    try:
        return member(gdb.lookup_type(name), offset)
    except (gdb.error, RuntimeError, ZeroDivisionError):
        return None


with open(os.environ["FREEHOLD_PLACES"]) as file:
    asked = json.load(file)
with open(os.environ["FREEHOLD_MEMBERS"], "w") as file:
    json.dump([answer(*each) for each in asked], file)
