"""Programs about collectors find what a model in Python finds, in every language."""

from collections import OrderedDict

import pytest

from freehold_lab.model import State
from test_timing import launch

COLLECTORS = ["cyclic_ptr", "traced_ptr", "ocaml", "uncounted_boehm"]


class RandomNumbers:
    def __init__(self):
        self.state = 1

    def below(self, n):
        self.state = self.state * 48_271 % 2_147_483_647
        return self.state % n


class Node:
    def __init__(self, number):
        self.text, self.children, self.parent = str(number), [], None


class Document:
    """Its operations are those of lab/probes/workloads/pointers/document_tree/plot.hpp."""

    def __init__(self, nodes):
        self.random, self.made, self.sum = RandomNumbers(), 0, 0
        self.root = self.grow(((nodes + 1) // 2).bit_length() // 2, 6)

    def edit(self):
        kind = self.random.below(8)
        if kind == 0:
            at = self.random_leaf()
            while at:
                self.read(at)
                at = at.parent
        elif kind <= 2:
            height = self.random_height()
            one, other = self.climb(height), self.climb(height)
            above_one, above_other = one.parent, other.parent
            place_of_one, place_of_other = above_one.children.index(one), above_other.children.index(other)
            above_one.children[place_of_one], above_other.children[place_of_other] = other, one
            one.parent, other.parent = above_other, above_one
        else:
            height = self.random_height()
            old = self.climb(height)
            made = self.grow(height, 4)
            made.parent = old.parent
            old.parent.children[old.parent.children.index(old)] = made

    def grow(self, height, children):
        made = Node(self.made)
        self.made += 1
        for _ in range(children if height else 0):
            child = self.grow(height - 1, 4)
            child.parent = made
            made.children.append(child)
        return made

    def read(self, node):
        self.sum += ord(node.text[-1])

    def read_all(self, top):
        self.read(top)
        for child in top.children:
            self.read_all(child)

    def random_leaf(self):
        at = self.root
        while at.children:
            at = at.children[self.random.below(len(at.children))]
        return at

    def random_height(self):
        height = 0
        while height < 3 and self.random.below(2):
            height += 1
        return height

    def climb(self, levels):
        at = self.random_leaf()
        for _ in range(levels):
            at = at.parent
        return at


def edited_documents(nodes):
    document = Document(nodes)
    for _ in range(nodes // 2):
        document.edit()
    document.read_all(document.root)
    return 4 * document.sum  # once with parents owned, and three times with parents observed


def replaced_subtrees(nodes):
    """The numbers of the roots of all subtrees that were replaced. A node is its number and its two children."""
    random, made, found = RandomNumbers(), 0, 0

    def grow(levels):
        nonlocal made
        if levels == 0:
            return None
        grown = [made, None, None]
        made += 1
        grown[1:] = [grow(levels - 1), grow(levels - 1)]
        return grown

    levels = nodes.bit_length()
    root = grow(levels)
    for _ in range(nodes // 4):
        fresh, above = grow(4), root
        for _ in range(levels - 5):
            above = above[1 + random.below(2)]
        side = 1 + random.below(2)
        found += above[side][0]
        above[side] = fresh
    return found


def evaluations(times):
    """The twelfth Fibonacci number, and the sum of the numbers up to 50."""
    return times * (144 + sum(range(51)))


def cached(entries):
    """The keys that clients have seen while they were in the cache."""
    random, places, clients, found = RandomNumbers(), OrderedDict(), {}, 0
    number_of_clients = max(1, entries // 8)
    for made in range(16 * entries):
        key = min(random.below(2 * entries), random.below(2 * entries))
        places.setdefault(key, made)  # a number for each entry, as a key may leave and come back
        places.move_to_end(key)
        entry = (key, places[key])
        if len(places) > entries:
            places.popitem(last=False)
        client = random.below(number_of_clients)
        seen = clients.get(client)
        if seen and places.get(seen[0]) == seen[1]:
            found += seen[0]
        clients[client] = entry
    return found


def images(made):
    return 4 * sum(number % 100 for number in range(made))


def answered(threads):
    return threads * sum(number * 1001 + sum(range(1001)) for number in range(100))


def replaced_in_a_shared_graph(threads):
    """Whatever the threads chose: each subtree is replaced once, or is in its place at the end."""
    return sum(range((1 << 13) + threads * 50_000))


# At the smallest size.
FOUND = {
    "subtrees": replaced_subtrees(2_047),
    "document-tree": edited_documents(2_047),
    "interpreter": evaluations(2),
    "cache": cached(500),
    "external": images(20),
}
ANSWERED = {"actors": answered(1)}
REPLACED = {"shared-graph": replaced_in_a_shared_graph(1)}


@pytest.mark.parametrize("workload", FOUND)
@pytest.mark.parametrize("strategy", [*COLLECTORS, "local_shared_ptr"])
def test_a_program_finds_what_its_model_finds(probes, strategy, workload):
    assert int(launch(probes.executable(strategy), workload=workload).checksum) == FOUND[workload]


@pytest.mark.parametrize(
    "strategy",
    [
        *("concurrent_cyclic_ptr", "shared_traced_heap", "std_shared_ptr", "ocaml", "rust_arc"),
        *("uncounted_boehm", "uncounted_boehm_incremental"),
    ],
)
def test_every_message_is_answered(probes, strategy):
    launched = launch(probes.executable(strategy), workload="actors", state=State.THREADED)
    assert int(launched.checksum) == ANSWERED["actors"]
    assert {"messages", "messages, one, max"} <= {point.series for point in launched.points}


@pytest.mark.parametrize("strategy", ["concurrent_cyclic_ptr", "shared_traced_heap", "shared_traced_heap_bounded"])
def test_every_subtree_of_a_shared_graph_is_replaced_once_or_stays(probes, strategy):
    launched = launch(probes.executable(strategy), workload="shared-graph", state=State.THREADED)
    assert int(launched.checksum) == REPLACED["shared-graph"]


@pytest.mark.parametrize("workload", ["stack", "queue"])
@pytest.mark.parametrize(
    "strategy",
    [
        *("atomic_shared_ptr", "snapshot_ptr", "atomic_intrusive_ptr", "atomic_thin_ptr", "hazard_pointer"),
        *("std_atomic_shared_ptr", "boost_atomic_shared_ptr", "std_containers_mutex", "boost_lockfree"),
    ],
)
def test_every_number_that_a_thread_pushes_is_popped_once(probes, strategy, workload):
    launched = launch(probes.executable(strategy), workload=workload, state=State.THREADED)
    of_each_thread = 32_000 + 32_000 // 16
    assert int(launched.checksum) == 2 * of_each_thread


@pytest.mark.parametrize("strategy", ["concurrent_cyclic_ptr", "shared_traced_heap"])
def test_every_ring_is_dropped_by_one_of_the_threads(probes, strategy):
    launched = launch(probes.executable(strategy), workload="rings-in-threads", state=State.THREADED)
    assert int(launched.checksum) == sum(range(2 * 1000))
