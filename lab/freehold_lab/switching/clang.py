"""What the Python bindings of libclang lack: places in files, what a name means, and what is not compiled."""

import ctypes
import re
from functools import cache
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor
from clang.cindex import CursorKind as Kind

from freehold_lab.switching.facts import Place

# A class of owners, in the canonical spelling of a type: std::shared_ptr<int>, std::__1::shared_ptr<int>, and in a
# template shared_ptr<type-parameter-0-0>, without the namespace.
OWNER = (
    r"(?:\b(?P<home>std|boost)::(?:__\w+::)?(?P<name>shared_ptr|weak_ptr)<"
    r"|(?<![\w:])(?P<dependent>shared_ptr|weak_ptr)<(?=[^<>]*type-parameter))"
)


class _Ranges(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange))]


def parse(file: Path, options: list[str], folder: Path) -> cindex.TranslationUnit:
    _name_of_file.cache_clear()  # libclang reuses the addresses of files
    index = cindex.Index.create()
    words = [f"-working-directory={folder}", *options]
    return index.parse(str(file), words, None, cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)


def skipped(unit: cindex.TranslationUnit, file: Path) -> frozenset[tuple[int, int]]:
    """Returns the parts of `file` that #if leaves out."""
    library = cindex.conf.lib
    library.clang_getSkippedRanges.restype = ctypes.POINTER(_Ranges)
    library.clang_getSkippedRanges.argtypes = [cindex.TranslationUnit, cindex.File]
    library.clang_disposeSourceRangeList.argtypes = [ctypes.POINTER(_Ranges)]
    found = library.clang_getSkippedRanges(unit, unit.get_file(str(file)))
    parts = [found.contents.ranges[number] for number in range(found.contents.count)]
    result = frozenset((part.start.offset, part.end.offset) for part in parts)
    library.clang_disposeSourceRangeList(found)
    return result


@cache
def path_of(name: str) -> Path:
    return Path(name).resolve()


def place(location: cindex.SourceLocation) -> Place | None:
    """Returns where it is written: for an argument of a macro there, and not where the macro is defined."""
    file, offset = ctypes.c_void_p(), ctypes.c_uint()
    _locate(location, ctypes.byref(file), None, None, ctypes.byref(offset))
    if not file.value:
        return None
    name = _name_of_file(file.value)
    return (path_of(name), offset.value) if name else None


_locate = cindex.conf.lib.clang_getFileLocation
_locate.argtypes = [cindex.SourceLocation, *[ctypes.c_void_p] * 4]


@cache
def _name_of_file(file: int) -> str:
    return str(cindex.File(ctypes.cast(file, cindex.c_object_p)).name or "")


def start(cursor: Cursor) -> Place | None:
    return place(cursor.extent.start)


def end(cursor: Cursor) -> Place | None:
    return place(cursor.extent.end)


def full_name(cursor: Cursor) -> str:
    """Returns the name with its namespaces, without the inner ones of an implementation, such as std::__1."""
    parts = [cursor.spelling.partition("<")[0]]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind != Kind.TRANSLATION_UNIT:
        # An extern "C++" has no name.
        if parent.spelling and not parent.spelling.startswith("_") and parent.spelling != "sp_adl_block":
            parts.append(parent.spelling)
        parent = parent.semantic_parent
    return "::".join(reversed(parts))


def is_internal(cursor: Cursor) -> bool:
    """Whether it is in a namespace of the implementation, such as __gnu_cxx."""
    parent = cursor.semantic_parent
    while parent is not None and parent.kind != Kind.TRANSLATION_UNIT:
        if parent.kind == Kind.NAMESPACE and parent.spelling.startswith("__"):
            return True
        parent = parent.semantic_parent
    return False


def candidates(cursor: Cursor) -> list[Cursor]:
    """Returns what a reference may mean: in a template there may be several functions."""
    if cursor.kind == Kind.OVERLOADED_DECL_REF:
        library = cindex.conf.lib
        count = library.clang_getNumOverloadedDecls(cursor)
        return [library.clang_getOverloadedDecl(cursor, number) for number in range(count)]
    found = cursor.referenced
    return [found] if found is not None else []


def pattern(cursor: Cursor) -> Cursor:
    """Returns the template, or the member of one, that a declaration is made from, or else the declaration."""
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor)
    # A template that is a member of another is itself made from one.
    return pattern(template) if template is not None and template.kind != Kind.NO_DECL_FOUND else cursor


def overridden(cursor: Cursor) -> list[Cursor]:
    """Returns the functions of the direct bases that a function overrides."""
    library = cindex.conf.lib
    found, count = ctypes.POINTER(Cursor)(), ctypes.c_uint()
    library.clang_getOverriddenCursors.argtypes = [Cursor, ctypes.c_void_p, ctypes.c_void_p]
    library.clang_getOverriddenCursors.restype = None
    library.clang_getOverriddenCursors(cursor, ctypes.byref(found), ctypes.byref(count))
    result = []
    for number in range(count.value):
        each = found[number]
        each._tu = cursor._tu
        result.append(each)
    return result


def canonical(type_: cindex.Type) -> str:
    return str(type_.get_canonical().spelling)


def shown(type_: cindex.Type) -> str:
    """Returns a type as a program may write it: not with a name of the standard library's own, such as _NonArray."""
    written = str(type_.spelling)
    is_internal = re.search(r"\b_[A-Z_]", written)
    return re.sub(r"\b__\w+::", "", canonical(type_)) if is_internal else written


def parameters(function: Cursor) -> list[cindex.Type]:
    """Returns the types of its parameters; none of what is no function, such as a pointer to one."""
    type_ = function.type.get_canonical()
    return list(type_.argument_types()) if type_.kind == cindex.TypeKind.FUNCTIONPROTO else []


def mentions(type_: cindex.Type) -> bool:
    return re.search(OWNER, canonical(type_)) is not None


def owner(type_: cindex.Type) -> str:
    """Returns std::shared_ptr and the like if the type is one, or a reference to one; else nothing."""
    spelled = re.sub(r"^(const |volatile )*|( const| volatile)*( ?&&?)?$", "", canonical(type_))
    found = re.match(OWNER, spelled)
    if not found or not _closes_at_end(spelled, found.end()):
        return ""
    return f"{found['home'] or 'std'}::{found['name'] or found['dependent']}"


def pointee(type_: cindex.Type) -> cindex.Type:
    return type_.get_canonical().get_template_argument_type(0)


def _closes_at_end(spelled: str, place: int) -> bool:
    depth = 1
    for number in range(place, len(spelled)):
        depth += (spelled[number] == "<") - (spelled[number] == ">" and spelled[number - 1] != "-")
        if depth == 0:
            return number == len(spelled) - 1
    return False
