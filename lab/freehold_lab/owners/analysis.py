"""From an image to who owns what."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freehold_lab.owners.graph import blocks as control_blocks
from freehold_lab.owners.graph import deques, ends, kinds, nodes, reach, typed_places, vectors, words
from freehold_lab.owners.graph import handles as handle_finding
from freehold_lab.owners.graph.blocks import Blocks, Objects
from freehold_lab.owners.graph.handles import Handles
from freehold_lab.owners.graph.kinds import Kind, Kinds
from freehold_lab.owners.graph.nodes import Nodes
from freehold_lab.owners.graph.reach import Reached
from freehold_lab.owners.graph.typed_places import TypedPlaces
from freehold_lab.owners.graph.words import Region, Words
from freehold_lab.owners.heaps import every, foreign
from freehold_lab.owners.heaps.heap import Heap
from freehold_lab.owners.image.maps import is_anonymous
from freehold_lab.owners.image.memory import Addresses, Image
from freehold_lab.owners.members import asking
from freehold_lab.owners.members import objects as known_objects
from freehold_lab.owners.members.asking import Members
from freehold_lab.owners.members.walking import Exact
from freehold_lab.owners.tables import freehold, modules, nameless, type_information
from freehold_lab.owners.tables.modules import Module
from freehold_lab.owners.tables.type_information import Tables

LEAST_EXPLAINED = 0.95  # of all owners; with fewer found nothing is called leaked


@dataclass
class Analysis:
    image: Image
    modules: list[Module]
    tables: Tables
    objects: Objects
    heap: Heap | None
    blocks: Blocks
    nodes: Nodes
    words: Words
    handles: Handles
    kinds: Kinds
    places: TypedPlaces
    object_node: Addresses
    members: Members
    reached: Reached
    allocator: str
    doubts: list[str]  # why nothing is called leaked; empty if it may be
    notes: list[str]  # what else the user is told

    @property
    def grade(self) -> NDArray[np.int8]:
        return self.reached.grade

    @property
    def explained(self) -> float:
        """The share of all owners that were found."""
        return share_explained(self.blocks, self.nodes, self.handles, self.reached)


def share_explained(blocks: Blocks, nodes: Nodes, handles: Handles, reached: Reached) -> float:
    # A resource of the program's own may have freed a part of a larger block to which no handle leads. A count of one
    # owner stays behind there: the last one does not count itself down.
    led = handles.count(len(blocks), handles.region != Region.DEAD) > 0
    counted = led | (nodes.of_block < len(nodes.whole.starts))
    owners = int(blocks.owners[counted].sum())
    return 1 - int(reached.unseen[counted].sum()) / owners if owners else 1.0


def analyze(image: Image) -> Analysis | None:
    """Returns None if there is no control block in the image."""
    mine = modules.find(image)
    of_modules = [segment for module in mine for segment in module.segments]
    tables = type_information.find(image, of_modules)
    # Also what is closed for now: a program may open its pages again.
    memory = [each for each in image.segments if each.data is not None and (each.is_writable or is_anonymous(each))]
    heap = every.read(image, mine)
    tables = freehold.find(image, of_modules, tables)
    tables = nameless.find(image, mine, heap, tables) if heap else tables
    objects = control_blocks.objects(memory, tables)
    blocks = control_blocks.find(image, tables, objects, heap, _stacks(image))
    if len(blocks) == 0:
        return None
    found = nodes.find(image, tables, blocks, heap)
    leading = words.find(image, memory, mine, heap, blocks, found)
    handles = handle_finding.find(image, blocks, found, leading)
    leading.bury(ends.of_vectors(image, blocks, found, objects, handles.object_node, leading))
    leading.bury(deques.unused(image, found, leading))
    members = asking.members(image, mine)
    exact = Exact.nothing()
    if members:
        exact = known_objects.walk(image, tables, blocks, found, objects, handles.object_node, members)
        leading.bury(exact.is_dead(leading.at))
    handles = handle_finding.find(image, blocks, found, leading)
    elements = vectors.of_elements(image, found, leading, handles.handles)
    places = typed_places.find(blocks, found, objects, handles.object_node, leading, handles.handles, elements)
    # Alive for sure: an element, unless it is a member of an object that looks as if it were in a vector.
    trusted = (elements >= 0) & np.append(places.is_element, True)[places.of_handle]
    told = exact.of(handles.handles.at)
    trusted |= told != Kind.UNKNOWN
    kind = kinds.find(blocks, found, handles.object_node, handles.handles, places, told, trusted)
    reached = reach.find(
        blocks,
        found,
        leading,
        handles.handles,
        kind,
        handles.object_node,
        image.in_hand,
        trusted,
        image.has_all_stacks,
    )
    other = foreign.name(mine)
    doubts = _doubts(image, heap, other, share_explained(blocks, found, handles.handles, reached))
    reach.suspect(reached.grade, np.full(len(blocks), bool(doubts)))
    return Analysis(
        image,
        mine,
        tables,
        objects,
        heap,
        blocks,
        found,
        leading,
        handles.handles,
        kind,
        places,
        handles.object_node,
        members,
        reached,
        " and ".join(filter(None, [heap.allocator if heap else "", other])),
        doubts,
        [*_notes(blocks, heap, other), *image.notes],
    )


def _stacks(image: Image) -> Addresses:
    found = {(each.start, each.end) for each in image.segments if each.name.startswith("[stack")}
    return np.array(sorted(found), np.int64).reshape(-1, 2)


def _notes(blocks: Blocks, heap: Heap | None, other: str) -> list[str]:
    count = int(blocks.outside.sum()) if heap else 0
    if count == 0:
        return []
    lie, them, they = ("object lies", "it", "it owns") if count == 1 else ("objects lie", "them", "they own")
    where = f"memory of {other}" if other else "memory that the allocator does not know"
    return [f"{count:,} {lie} in {where}: of {them}, and of what only {they}, a leak is only suspected."]


def _doubts(image: Image, heap: Heap | None, other: str, explained: float) -> list[str]:
    found = []
    if heap is None:
        found.append(foreign.fault(other))
    else:
        found += heap.faults
    if image.unread:
        found.append(f"{image.unread:,} bytes that the program can write could not be read")
    if explained < LEAST_EXPLAINED:
        found.append(f"of all owners only {explained:.1%} were found")
    return found
