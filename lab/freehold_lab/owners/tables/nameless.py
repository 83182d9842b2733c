"""Tables of control blocks in programs without run-time type information, found by the blocks that have them.

Such a table has no type_info, and as many functions as a library's control blocks have. A class of the program may look
the same, so what is behind the pointer to the table must be counts that can be, in nearly all objects.
"""

import numpy as np

from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.memory import WORD, Addresses, Image
from freehold_lab.owners.tables import libraries, symbols
from freehold_lab.owners.tables.modules import Module, ranges
from freehold_lab.owners.tables.type_information import Tables, is_code, is_inside

FUNCTIONS = 5  # virtual functions that the control blocks of every library have at least
MOST = 1 << 20  # owners, or weak pointers
LEAST_SHARE = 0.9  # of the objects, that have such counts


def find(image: Image, modules: list[Module], heap: Heap, known: Tables) -> Tables:
    """Returns the tables known, and those that words in the heap's blocks lead to."""
    starts, first = _leading_into(image, heap, ranges(modules))
    tables = np.unique(first)
    tables = tables[known.index(tables) < 0]
    # No type_info, and the start of the object is where the table is.
    tables = tables[(image.words(tables - WORD) == 0) & (image.words(tables - 2 * WORD) == 0)]
    for slot in range(FUNCTIONS):
        tables = tables[is_code(image, image.words(tables + slot * WORD).view(np.int64))]
    library = "libc++" if any("/libc++" in module.name for module in modules) else "libstdc++"
    tables = np.array([each for each in tables if _counts(image, starts[first == each], library)], np.int64)
    if len(tables) == 0:
        return known
    names = symbols.at(image, modules, tables)
    nameless = libraries.NAMELESS[library]
    every = np.concatenate([known.addresses, tables])
    order = np.argsort(every)
    mangled = [*known.names, *(_name(names.get(int(each), ""), int(each), nameless) for each in tables)]
    bases = np.concatenate([known.bases, np.zeros(len(tables), np.int64)])
    return Tables(every[order], [mangled[each] for each in order], bases[order])


def _leading_into(image: Image, heap: Heap, places: Addresses) -> tuple[Addresses, Addresses]:
    """Returns where in the heap the words are that lead into the places, rows of start and end, and where to."""
    found = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for segment in image.segments:
        if not segment.is_writable or len(places) == 0:
            continue
        words = segment.words.view(np.int64)
        near = np.flatnonzero((words >= places[0, 0]) & (words < places[-1, 1]) & (words % WORD == 0))
        near = near[is_inside(places, words[near])]
        block = heap.index(segment.start + near * WORD)
        near = near[(block >= 0) & heap.used[np.maximum(block, 0)]]
        found.append((segment.start + near * WORD, words[near]))
    at, to = zip(*found, strict=True)
    return np.concatenate(at), np.concatenate(to)


def _counts(image: Image, objects: Addresses, library: str) -> bool:
    """Says whether nearly all of the objects have the counts of a control block."""
    words = image.words(objects + WORD)
    if library == "libc++":
        owners, weak = words.view(np.int64) + 1, image.words(objects + 2 * WORD).view(np.int64) + 1
    else:
        owners, weak = (words & np.uint64(0xFFFFFFFF)).astype(np.int64), (words >> np.uint64(32)).astype(np.int64)
    good = (owners >= 0) & (owners < MOST) & (weak >= 1) & (weak < MOST)
    return bool(good.mean() >= LEAST_SHARE)


def _name(symbol: str, table: int, nameless: str) -> str:
    """Returns the mangled name that the symbol of a table tells, or one of a class that has no other name."""
    found = symbol.removeprefix("_ZTV")
    return found if libraries.layout(found) else f"{nameless}{table:x}"
