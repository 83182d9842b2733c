"""Walks memory in which each block says how far it is to the next, a million blocks in a fraction of a second."""

import numpy as np
from numpy.typing import NDArray

WINDOW = 256  # steps of the least size; with fewer the loop over windows is longer, with more the one inside

Indices = NDArray[np.int32]


def walk(steps: Indices, first: int, end: int) -> Indices:
    """Returns the places that a walk visits from `first`, until it leaves what is before `end` or cannot go on.

    `steps` says for each place how many places further the next is, or 0 where none can be. Complexity: linear in the
    number of places, without a loop over them: for each place of a window of 256 it is found where a walk leaves the
    window, in all windows at once; then the windows are walked, and then the places that are visited in each, again in
    all windows at once.
    """
    count = (end + WINDOW - 1) // WINDOW
    step = np.zeros(count * WINDOW, np.int32)
    step[:end] = steps[:end]
    place = np.arange(count * WINDOW, dtype=np.int32)
    rows = np.arange(count)
    next_place = (place + step).reshape(count, WINDOW)
    stuck = (step == 0).reshape(count, WINDOW)
    leaves = next_place.copy()  # where a walk from here first is outside of the window; itself where it is stuck
    for column in range(WINDOW - 1, -1, -1):
        to = next_place[:, column]
        inside = (to < (rows + 1) * WINDOW) & ~stuck[:, column]
        leaves[inside, column] = leaves[inside, to[inside] % WINDOW]
    entries = []
    at = first
    flat = leaves.reshape(-1)
    while at < end:
        entries.append(at)
        last, at = at, int(flat[at])
        if at // WINDOW == last // WINDOW:
            break  # it cannot go on
    active = np.array(entries, np.int32)
    visited = []
    while len(active):
        visited.append(active)
        to = active + step[active]
        active = to[(step[active] > 0) & (to // WINDOW == active // WINDOW) & (to < end)]
    return np.sort(np.concatenate(visited)) if visited else np.empty(0, np.int32)
