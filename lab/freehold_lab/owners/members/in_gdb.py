"""Runs in gdb, which knows the debug information: reads names of types from a file, and writes their shapes to another.

The laboratory does not import it; asking.py says what a shape is. What the standard libraries' containers look like is
written here, once for libstdc++ and once for libc++.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import gdb

WORD = 8
MOST_FIELDS = 2000  # of one class, with those of its members
BUFFER = {"libstdc++": 512, "libc++": 4096}  # bytes of a deque's buffer
LEAST_IN_BUFFER = {"libstdc++": 1, "libc++": 16}  # elements
STD = r"^std::(?:\w+::)*"
HANDLES = {
    "owner": re.compile(r"^(?:std|boost|freehold)::(?:\w+::)*(?:__)?(?:\w+_)?shared_ptr\b"),
    "weak": re.compile(r"^(?:std|boost|freehold)::(?:\w+::)*(?:__)?(?:\w+_)?(?:weak_ptr|enable_shared_from_this)\b"),
}
NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_FLT)
COMPOUND = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)

Part = list[Any]


class Shapes:
    """Those that were asked for, and those that they are made of."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.numbers: dict[str, int] = {}
        self.shapes: list[dict[str, Any]] = []

    def number(self, type: Any) -> int:
        """Returns the number of the type's shape."""
        type = type.strip_typedefs().unqualified()
        name = str(type)
        if type.sizeof == 0:
            type = gdb.lookup_type(name).strip_typedefs()  # elsewhere it may be complete
        if name not in self.numbers:
            self.numbers[name] = self.first + len(self.shapes)
            shape: dict[str, Any] = {"size": type.sizeof, "alignment": type.alignof, "fields": [], "parts": []}
            self.shapes.append(shape)
            shape["small"] = set()  # the places of small numbers among the fields
            self._add(shape, type, 0, "")
            shape["parts"] += [["nothing", at] for at in unused_words(shape, shape.pop("small"))]
            shape["is_polymorphic"] = type.code in COMPOUND and type.dynamic
        return self.numbers[name]

    def _add(self, shape: dict[str, Any], type: Any, at: int, name: str) -> None:
        """Effects: adds what a member of the type is, at that distance from the start."""
        type = type.strip_typedefs().unqualified()
        text = str(type)
        if len(shape["fields"]) > MOST_FIELDS:
            return
        for kind, pattern in HANDLES.items():
            if pattern.match(text):
                own = name + ("(enable_shared_from_this)" if "enable" in text else "")
                shape["fields"].append([at, at + type.sizeof, own])
                shape["parts"].append([kind, at])
                return
        if text.startswith("std::"):
            library = "libc++" if re.match(r"^std::__(?:1|ndk1|Cr)::", text) else "libstdc++"
            for beginning, read in CONTAINERS.items():
                if re.match(STD + beginning, text):
                    shape["fields"].append([at, at + type.sizeof, name])
                    shape["parts"] += [[part[0], at, *part[1:]] for part in read(self, library, type)]
                    return
        if type.code == gdb.TYPE_CODE_ARRAY and type.target().sizeof >= WORD:
            element = type.target()
            for index in range(type.sizeof // element.sizeof if element.sizeof else 0):
                self._add(shape, element, at + index * element.sizeof, f"{name}[{index}]")
        elif type.code == gdb.TYPE_CODE_STRUCT and type.fields():
            # How the library has made what is not one of its containers is nobody's business, but it may hold handles.
            hidden = text.startswith("std::") and not re.match(STD + r"(?:pair|array)<", text)
            for field in type.fields():
                if hasattr(field, "bitpos"):  # else it is static
                    own = "" if field.is_base_class or field.name is None or hidden else f".{field.name}"
                    self._add(shape, field.type, at + field.bitpos // 8, name + own)
        else:
            if is_small(type):
                shape["small"].add(len(shape["fields"]))
            shape["fields"].append([at, at + type.sizeof, name])


def is_small(type: Any) -> bool:
    """Says whether it is a number that no pointer fits into. Characters may be the storage of something else."""
    return type.sizeof < WORD and type.code in NUMBERS


def unused_words(shape: dict[str, Any], small: set[int]) -> Iterator[int]:
    """Yields where the words of an object are that have only small numbers and padding."""
    used = [each for number, each in enumerate(shape["fields"]) if number not in small]
    if len(shape["fields"]) <= MOST_FIELDS:
        for at in range(0, shape["size"] - shape["size"] % WORD, WORD):
            if not any(begin < at + WORD and at < end for begin, end, _ in used):
                yield at


def member(type: Any, name: str) -> tuple[int, Any] | None:
    """Returns where the member of that name is in an object, at any depth, and its type."""
    for field in type.strip_typedefs().fields():
        if not hasattr(field, "bitpos"):
            continue
        inner = field.type.strip_typedefs()
        if field.name == name:
            return field.bitpos // 8, inner
        if inner.code in COMPOUND and (found := member(inner, name)):
            return field.bitpos // 8 + found[0], found[1]
    return None


def aligned(type: Any, least: int) -> int:
    """Returns where a value of the type begins in a node whose links take `least` bytes."""
    alignment: int = type.alignof
    return -(-least // alignment) * alignment


def vector(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
    element = type.template_argument(0)
    if element.strip_typedefs().code != gdb.TYPE_CODE_BOOL:
        yield ["vector", shapes.number(element)]


def deque(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
    element = type.template_argument(0)
    number = max(BUFFER[library] // element.sizeof, LEAST_IN_BUFFER[library])
    yield [f"deque of {library}", shapes.number(element), number]


def chain(first: int, link: int, before: dict[str, int], mirrored: int = 0) -> Callable[..., Iterator[Part]]:
    """Nodes that lead to each other. `first` and `link` say where the pointer to the next one is, in the container and
    in a node; `before` how many bytes of links a node has. In libc++ both pointers are `mirrored` bytes further."""

    def read(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
        value, more = value_type(type), mirrored if library == "libc++" else 0
        yield ["chain", shapes.number(value), first + more, link + more, aligned(value, before[library])]

    return read


def tree(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
    compare = member(type, "_M_key_compare")
    if compare and compare[1].sizeof < WORD:
        yield ["nothing"]  # a comparison without pointers has a word of its own
    value = value_type(type)
    root, left = {"libstdc++": (16, 16), "libc++": (8, 0)}[library]
    before = {"libstdc++": 32, "libc++": 25}[library]
    yield ["tree", shapes.number(value), root, left, aligned(value, before)]


def value_type(type: Any) -> Any:
    """Returns what is in the nodes of a container: in those of a map, pairs."""
    return gdb.lookup_type(f"{type}::value_type").strip_typedefs()


def optional(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
    flag = member(type, {"libstdc++": "_M_engaged", "libc++": "__engaged_"}[library])
    if flag:
        yield ["optional", shapes.number(type.template_argument(0)), flag[0], type.sizeof]


def variant(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
    index = member(type, {"libstdc++": "_M_index", "libc++": "__index"}[library])
    numbers: list[int] = []
    try:
        while True:
            numbers.append(shapes.number(type.template_argument(len(numbers))))
    except (gdb.error, RuntimeError):
        pass
    if index:
        yield ["variant", numbers, index[0], index[1].sizeof, type.sizeof]


def unique_ptr(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
    to = type.template_argument(0).strip_typedefs()
    if "default_delete<" in str(type) and type.sizeof == WORD and to.code == gdb.TYPE_CODE_STRUCT and to.sizeof > 1:
        yield ["unique", shapes.number(to)]


def string(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
    yield [f"string of {library}"]


def function(shapes: Shapes, library: str, type: Any) -> Iterator[Part]:
    pointer = member(type, {"libstdc++": "_M_manager", "libc++": "__f_"}[library])
    if pointer:
        yield [f"function of {library}", pointer[0]]


CONTAINERS: dict[str, Callable[[Shapes, str, Any], Iterator[Part]]] = {
    r"vector<": vector,
    r"deque<": deque,
    r"forward_list<": chain(0, 0, {"libstdc++": 8, "libc++": 8}),
    r"list<": chain(0, 0, {"libstdc++": 16, "libc++": 16}, mirrored=8),
    r"(?:multi)?(?:map|set)<": tree,
    # libstdc++ keeps the hash of a string behind its value, and libc++ each before it.
    r"unordered_(?:multi)?(?:map|set)<": chain(16, 0, {"libstdc++": 8, "libc++": 16}),
    r"optional<": optional,
    r"variant<": variant,
    r"unique_ptr<": unique_ptr,
    r"function<": function,
    r"basic_string<char,": string,
}


def main() -> None:
    with open(os.environ["FREEHOLD_TYPES"]) as file:
        names = json.load(file)
    shapes = Shapes(int(os.environ["FREEHOLD_FIRST_SHAPE"]))
    found: list[int | None] = []
    for name in names:
        try:
            found.append(shapes.number(gdb.lookup_type(name)))
        except (gdb.error, RuntimeError, ZeroDivisionError):
            found.append(None)
    with open(os.environ["FREEHOLD_SHAPES"], "w") as file:
        json.dump({"shapes": shapes.shapes, "found": found}, file)


main()
