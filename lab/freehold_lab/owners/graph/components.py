"""Nodes that lead to each other: strongly connected components."""

import numpy as np

from freehold_lab.owners.image.memory import Addresses

MOST_BY_LOOP = 20_000  # nodes and edges; for more, the loop takes longer than loading scipy


def strong(source: Addresses, target: Addresses, count: int) -> tuple[int, Addresses]:
    """Returns the number of components, and for each of `count` nodes that of its own. Edge i leads from node source[i]
    to node target[i]."""
    if count + len(source) <= MOST_BY_LOOP:
        return _by_loop(source, target, count)
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    matrix = csr_matrix((np.ones(len(source), np.int8), (source, target)), shape=(count, count))
    number, label = connected_components(matrix, directed=True, connection="strong")
    return int(number), label.astype(np.int64)


def _by_loop(source: Addresses, target: Addresses, count: int) -> tuple[int, Addresses]:
    """Tarjan's algorithm, without recursion."""
    to: list[list[int]] = [[] for _ in range(count)]
    for one, other in zip(source.tolist(), target.tolist(), strict=True):
        to[one].append(other)
    order = [-1] * count  # in which a node was found
    least = [0] * count  # the order of the first node on the stack that it leads to
    label = [-1] * count
    stack: list[int] = []
    found = components = 0
    for root in range(count):
        waiting = [root] if order[root] < 0 else []
        while waiting:
            node = waiting[-1]
            if order[node] < 0:
                order[node] = least[node] = found
                found += 1
                stack.append(node)
            if to[node]:
                next_node = to[node].pop()
                if order[next_node] < 0:
                    waiting.append(next_node)
                elif label[next_node] < 0:
                    least[node] = min(least[node], order[next_node])
                continue
            waiting.pop()
            if waiting:
                least[waiting[-1]] = min(least[waiting[-1]], least[node])
            if least[node] == order[node]:
                while label[node] < 0:
                    label[stack.pop()] = components
                components += 1
    return components, np.array(label, np.int64)
