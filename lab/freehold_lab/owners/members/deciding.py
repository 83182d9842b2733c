"""Asks the debug information whether the handles in a place own."""

import numpy as np

from freehold_lab.owners.graph.kinds import Kind, Kinds
from freehold_lab.owners.graph.typed_places import TypedPlaces
from freehold_lab.owners.members.asking import Members, Place
from freehold_lab.owners.tables import libraries, naming
from freehold_lab.owners.tables.type_information import Tables

KINDS = {"owner": Kind.OWNER, "weak": Kind.WEAK}


def kinds(members: Members, tables: Tables, places: TypedPlaces) -> Kinds:
    """Returns the kind of each place, which is unknown where nothing says it."""
    names = [_place(tables, *each) for each in zip(places.table, places.distance, places.beside, strict=True)]
    members.ask(each for each in names if each[1] >= 0)
    told = np.zeros(len(places), np.int8)
    for number, (name, is_element) in enumerate(zip(names, places.is_element, strict=True)):
        member = members[name]
        if member and member.kind.endswith("[]") == is_element:
            told[number] = KINDS.get(member.kind.removesuffix("[]"), Kind.UNKNOWN)
    return told


def _place(tables: Tables, table: int, distance: int, beside: bool) -> Place:
    name = tables.names[table]
    layout = libraries.layout(name)
    if layout is None:
        return naming.demangled(name), int(distance)
    return naming.object_type(name), int(distance) - (layout.object if layout.houses and not beside else 0)
