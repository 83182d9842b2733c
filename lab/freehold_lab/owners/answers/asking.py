"""Who owns one object: its handles, and the shortest path to it from something that is alive."""

import numpy as np

from freehold_lab.errors import LabError
from freehold_lab.owners.analysis import Analysis
from freehold_lab.owners.answers.cycles import steps
from freehold_lab.owners.answers.places import Places
from freehold_lab.owners.answers.report import GRADES, Asked, Owner
from freehold_lab.owners.graph.kinds import Kind
from freehold_lab.owners.graph.reach import shared_nodes
from freehold_lab.owners.graph.words import Region
from freehold_lab.owners.image.memory import Addresses

MOST_ADDRESS = 1 << 63
MOST_OBJECTS = 20  # that are told where a type is asked for
KINDS = {Kind.UNKNOWN: "owner or weak", Kind.OWNER: "owner", Kind.WEAK: "weak"}


def find(analysis: Analysis, places: Places, asked: str) -> list[Asked]:
    """Returns the objects at an address, or of a type. Raises LabError if there is none."""
    paths = Paths(analysis)
    return [_tell(analysis, places, paths, int(each)) for each in _blocks(analysis, places, asked)]


def _blocks(analysis: Analysis, places: Places, asked: str) -> Addresses:
    try:
        address = int(asked, 16)
    except ValueError:
        of_type = [each for each, name in enumerate(places.type_of_block) if asked in name]
        found = np.flatnonzero(np.isin(places.types, of_type))
        if len(found) == 0:
            raise LabError(f"no object has a type whose name contains {asked}") from None
        # In turn one of each grade: of those that leak there may be many more than of those that are held.
        grade = analysis.grade[found]
        turn = np.zeros(len(found), np.int64)
        for each in np.unique(grade):
            turn[grade == each] = np.arange(np.count_nonzero(grade == each))
        return found[np.argsort(turn, kind="stable")[:MOST_OBJECTS]]
    node = int(analysis.nodes.index(np.array([address]))[0]) if address < MOST_ADDRESS else -1
    block = int(places.owner[node]) if node >= 0 else -1
    if block < 0:
        raise LabError(f"{asked} is not in an object that is owned together")
    return np.array([block])


def _tell(analysis: Analysis, places: Places, paths: "Paths", block: int) -> Asked:
    handles, blocks = analysis.handles, analysis.blocks
    mine = np.flatnonzero((handles.block == block) & (handles.region != Region.DEAD))
    told = []
    for each in mine:
        at, source = int(handles.at[each]), int(handles.source[each])
        where = places.member(source, at) if source >= 0 else places.outside(at, int(handles.region[each]))
        told.append(Owner(at, KINDS[Kind(int(analysis.kinds[each]))], where))
    path = paths.to(int(analysis.nodes.of_block[block]))
    places.learn([path])
    return Asked(
        address=places.address(block),
        type=places.type_of_block[places.types[block]],
        grade=GRADES[int(analysis.grade[block])],
        owners=int(blocks.owners[block]),
        weak=int(blocks.weak[block]),
        unseen=int(analysis.reached.unseen[block]),
        handles=sorted(told, key=lambda each: (each.kind != "owner", each.where)),
        path=steps(places, [*path, path[-1]]) if path else [],
        root=_root(analysis, places, path[0]) if path else "",
    )


def _root(analysis: Analysis, places: Places, node: int) -> str:
    """Returns what outside of the heap holds the node."""
    block = int(places.owner[node])
    handles, words = analysis.handles, analysis.words
    if block >= 0:
        outside = (handles.block == block) & (handles.region > Region.NODE) & (handles.region < Region.DEAD)
        for each in np.flatnonzero(outside & (analysis.kinds != Kind.WEAK)):
            return places.outside(int(handles.at[each]), int(handles.region[each]))
        return "an owner that was not found"
    for each in np.flatnonzero((words.target == node) & words.is_root):
        return places.outside(int(words.at[each]), int(words.region[each]))
    return ""


class Paths:
    """The shortest paths from the roots, all found at once."""

    def __init__(self, analysis: Analysis) -> None:
        nodes, words, edges = analysis.nodes, analysis.words, analysis.reached.owning
        shared = shared_nodes(analysis.blocks, nodes, analysis.object_node)
        root = np.zeros(len(nodes), bool)
        root[words.target[words.is_root & ~shared[words.target]]] = True
        root[nodes.of_block[analysis.reached.roots]] = True
        self._before = np.full(len(nodes), -1)
        self._seen = root.copy()
        new = np.flatnonzero(root)
        while len(new):
            to, source = edges.leaving(new)
            free = ~self._seen[to]
            self._before[to[free]] = source[free]
            self._seen[to[free]] = True
            new = np.unique(to[free])

    def to(self, node: int) -> list[int]:
        """Returns the nodes from a root to `node`, or none if no root leads to it."""
        if not self._seen[node]:
            return []
        path = [node]
        while self._before[path[-1]] >= 0:
            path.append(int(self._before[path[-1]]))
        return path[::-1]
