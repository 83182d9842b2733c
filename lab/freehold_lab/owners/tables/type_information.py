"""Tables of virtual functions, found by the type information that they lead to; no symbols are needed.

Each compiler of the Itanium ABI gives a class a type_info, whose own table of virtual functions is one of three in the
C++ library. The names of those three are strings in memory. From them: the words that lead to the strings, hence three
type_infos; the words that lead to those, hence three tables; the words that lead to the tables, hence every type_info;
and the words that lead to these, hence every table.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.image.memory import WORD, Addresses, Flags, Image, Segment

KINDS_OF_CLASS = re.compile(rb"N10__cxxabiv1(?:17__class|20__si_class|21__vmi_class)_type_infoE\0")
FARTHEST_BASE = 1 << 24  # bytes from the start of an object to one of its bases


@dataclass(frozen=True)
class Tables:
    """Tables, sorted by address: each is what the first word of an object is."""

    addresses: Addresses
    names: list[str]  # as the compiler wrote them
    bases: Addresses  # how far the part of the object that has this table is from its start, in bytes

    def index(self, words: Addresses) -> Addresses:
        """Returns the index of the table that each word leads to, or -1."""
        return index_of(self.addresses, words)


def find(image: Image, segments: list[Segment]) -> Tables:
    """Returns the tables in the segments, which are those of the program and its libraries."""
    strings = [
        each.start + match.start()
        for each in segments
        if each.data is not None and not each.is_writable
        for match in KINDS_OF_CLASS.finditer(each.data.data)
    ]
    own = leading_to(segments, np.array(strings, np.int64))[0] - WORD
    kinds = leading_to(segments, own)[0] + WORD
    infos = np.unique(leading_to(segments, kinds)[0])
    at, info = leading_to(segments, infos)
    # Before the word that leads to the type_info is the distance to the start of the object, behind it are functions.
    distance = image.words(at - WORD).view(np.int64)
    function = image.words(at + WORD).view(np.int64)
    is_table = (distance <= 0) & (distance > -FARTHEST_BASE) & (is_code(image, function) | (function == 0))
    order = np.argsort(at[is_table])
    at, info, distance = (each[is_table][order] for each in (at, info, distance))
    names = {each: image.string(image.word(int(each) + WORD)).lstrip("*") for each in np.unique(info)}
    return Tables(at + WORD, [names[each] for each in info], -distance)


def leading_to(segments: Iterable[Segment], places: Addresses) -> tuple[Addresses, Addresses]:
    """Returns the addresses of the words in the segments that lead to one of the places, and to which."""
    places = np.unique(places)
    found: list[tuple[Addresses, Addresses]] = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for each in segments if len(places) else ():
        words = each.words.view(np.int64)
        near = np.flatnonzero((words >= places[0]) & (words <= places[-1]))
        near = near[index_of(places, words[near]) >= 0]
        found.append((each.start + near * WORD, words[near]))
    at, to = zip(*found, strict=True)
    return np.concatenate(at), np.concatenate(to)


def index_of(sorted_values: Addresses, values: Addresses) -> Addresses:
    """Returns where each value is among those that are sorted, or -1."""
    if len(sorted_values) == 0:
        return np.full(len(values), -1)
    place = np.minimum(np.searchsorted(sorted_values, values), len(sorted_values) - 1)
    return np.where(sorted_values[place] == values, place, -1)


def is_code(image: Image, addresses: Addresses) -> Flags:
    ranges = [(each.start, each.end) for each in image.segments if each.is_code]
    return is_inside(np.array(ranges, np.int64).reshape(-1, 2), addresses)


def is_inside(ranges: Addresses, addresses: Addresses) -> Flags:
    """Says of each address whether it is in one of the ranges, which are rows of start and end, sorted."""
    if len(ranges) == 0:
        return np.zeros(len(addresses), bool)
    place = np.searchsorted(ranges[:, 0], addresses, "right") - 1
    inside: Flags = (place >= 0) & (addresses < ranges[np.maximum(place, 0), 1])
    return inside
