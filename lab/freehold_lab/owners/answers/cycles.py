"""What leaks together: objects that own each other in a cycle, and what only they hold."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from msgspec.structs import replace

from freehold_lab.owners.analysis import Analysis
from freehold_lab.owners.answers.places import Places
from freehold_lab.owners.answers.report import GRADES, Leak, Step
from freehold_lab.owners.graph import components
from freehold_lab.owners.graph.kinds import Kind
from freehold_lab.owners.graph.reach import Edges, Grade
from freehold_lab.owners.image.memory import Addresses, Flags

MOST_LEAKS = 100  # kinds of leaks that are told
SEED = 1  # of numbers that stand for types and places, so that cycles that are alike have the same sum


@dataclass
class Components:
    """Of the nodes that nothing holds: which of them lead to each other."""

    label: Addresses  # of each node of the graph; -1: it is held
    count: int
    is_cycle: Flags  # of each label
    holder: Addresses  # of each node: the label of the component that it is behind, or in; -1


def leaks(analysis: Analysis, places: Places) -> list[Leak]:
    dead = np.flatnonzero(~analysis.reached.likely)
    blocks = np.flatnonzero((analysis.grade != Grade.HELD) & (analysis.grade != Grade.EXPIRED))
    if len(blocks) == 0:
        return []
    found = _components(analysis, places, dead)
    return _told(analysis, places, found, blocks)


def _components(analysis: Analysis, places: Places, dead: Addresses) -> Components:
    count = len(analysis.nodes)
    number = np.full(count, -1)
    number[dead] = np.arange(len(dead))
    edges = analysis.reached.owning
    inside = (number[edges.source] >= 0) & (number[edges.target] >= 0)
    source, target = edges.source[inside], edges.target[inside]
    labels, of_dead = components.strong(number[source], number[target], len(dead))
    label = np.full(count, -1)
    label[dead] = of_dead
    has_block = np.zeros(labels, bool)
    has_block[label[analysis.nodes.of_block[label[analysis.nodes.of_block] >= 0]]] = True
    is_cycle = (np.bincount(of_dead, minlength=labels) > 1) & has_block
    own = analysis.handles
    itself = (own.source >= 0) & (places.owner[np.maximum(own.source, 0)] == own.block) & (analysis.kinds != Kind.WEAK)
    node = analysis.nodes.of_block[own.block[itself]]
    is_cycle[label[node[label[node] >= 0]]] = True
    holder = np.where((label >= 0) & is_cycle[np.maximum(label, 0)], label, -1)
    _spread(edges, holder, label >= 0)
    # What no cycle leads to is behind an owner that was lost: a component that no other leads to.
    led = np.zeros(labels, bool)
    between = label[source] != label[target]
    led[label[target[between]]] = True
    top = (label >= 0) & (holder < 0) & ~led[np.maximum(label, 0)]
    holder[top] = label[top]
    _spread(edges, holder, label >= 0)
    return Components(label, labels, is_cycle, holder)


def _spread(edges: Edges, holder: Addresses, may: Flags) -> None:
    """Gives what nodes with a holder lead to the same holder, if it has none."""
    new = np.flatnonzero(holder >= 0)
    while len(new):
        to, source = edges.leaving(new)
        free = (holder[to] < 0) & may[to]
        holder[to[free]] = holder[source[free]]
        reached = np.zeros(len(holder), bool)
        reached[to[free]] = True
        new = np.flatnonzero(reached)


def _told(analysis: Analysis, places: Places, found: Components, blocks: Addresses) -> list[Leak]:
    """Returns one leak for all cycles that are alike: they have the same types as often, in the same places."""
    chance = np.random.default_rng(SEED)
    nodes = analysis.nodes
    holder = found.holder[nodes.of_block[blocks]]
    blocks, holder = blocks[holder >= 0], holder[holder >= 0]
    within = found.label[nodes.of_block[blocks]] == holder
    type_numbers = places.types[blocks]
    numbers = chance.integers(1 << 62, size=(2, len(places.type_of_block)), dtype=np.uint64)
    alike = np.zeros(found.count, np.uint64)
    np.add.at(alike, holder, np.where(within, numbers[0][type_numbers], numbers[1][type_numbers]))
    own, place = analysis.handles, analysis.places.of_handle
    owns = np.flatnonzero((analysis.kinds != Kind.WEAK) & (own.source >= 0) & (place >= 0))
    label = found.label[own.source[owns]]
    inside = (label >= 0) & (label == found.label[nodes.of_block[own.block[owns]]])
    np.add.at(
        alike, label[inside], chance.integers(1 << 62, size=len(analysis.places), dtype=np.uint64)[place[owns][inside]]
    )
    alike += np.where(found.is_cycle, np.uint64(1), np.uint64(0))
    is_suspected = np.zeros(found.count, bool)
    is_suspected[holder[within & (analysis.grade[blocks] >= Grade.SUSPECTED)]] = True
    alike += np.where(is_suspected, np.uint64(2), np.uint64(0))
    held = found.holder >= 0
    sizes = np.zeros(found.count, np.int64)
    np.add.at(sizes, found.holder[held], (nodes.ends - nodes.starts)[held])
    of_kind, kind, count = np.unique(alike[np.unique(holder)], return_inverse=True, return_counts=True)
    kind_of_label = np.full(found.count, -1)
    kind_of_label[np.unique(holder)] = kind
    kind_bytes = np.bincount(kind, weights=sizes[np.unique(holder)], minlength=len(of_kind)).astype(np.int64)
    told, paths = [], []
    for each in np.argsort(-kind_bytes, kind="stable")[:MOST_LEAKS]:
        mine = kind_of_label[holder] == each
        example = int(holder[mine][0])
        members = blocks[mine & within]
        grades = np.bincount(analysis.grade[members if len(members) else blocks[mine]])
        paths.append(_cycle(analysis, places, found, example) if found.is_cycle[example] else [])
        told.append(
            Leak(
                grade=GRADES[int(grades.argmax())],
                cycle=[],
                types=_counted(places, members),
                behind=_counted(places, blocks[mine & ~within]),
                bytes=int(kind_bytes[each]),
                count=int(count[each]),
            )
        )
    places.learn(paths)
    return [replace(leak, cycle=steps(places, path)) for leak, path in zip(told, paths, strict=True)]


def _counted(places: Places, blocks: Addresses) -> dict[str, int]:
    number, count = np.unique(places.types[blocks], return_counts=True)
    order = np.argsort(-count, kind="stable")
    return {places.type_of_block[number[each]]: int(count[each]) for each in order}


def _cycle(analysis: Analysis, places: Places, found: Components, label: int) -> list[int]:
    """Returns the nodes of a shortest cycle through the component's first block whose type's name comes first."""
    nodes, edges = analysis.nodes, analysis.reached.owning
    blocks = np.flatnonzero(found.label[nodes.of_block] == label)
    first = int(blocks[np.argmin(places.types[blocks])])
    start = int(nodes.of_block[first])
    before: dict[int, int] = {}
    waiting = [start]
    for node in waiting:
        for each in edges.target[edges.first[node] : edges.first[node + 1]]:
            to = int(each)
            if found.label[to] == label and to not in before:
                before[to] = node
                waiting.append(to)
        if start in before:
            break
    path = [start]
    while start in before and (path[-1] != start or len(path) == 1):
        path.append(before[path[-1]])
    if start not in before:  # it owns itself
        path = [start, start]
    return path[::-1]


def steps(places: Places, path: list[int]) -> list[Step]:
    """Returns the objects on a path of nodes, each with the member that leads on. Blocks of no known type have no step:
    the member that leads to one has [] behind it."""
    told: list[Step] = []
    for node, to in pairwise(path):
        place = places.offset(node, to)
        name = places.type_name(node)
        if name and not places.is_bare_block(node):
            told.append(Step(name, place, places.start(node)))
        elif told and not told[-1].place.endswith("[]") and not places.is_bare_block(node):
            told[-1] = Step(told[-1].type, told[-1].place + "[]", told[-1].address)
    return told
