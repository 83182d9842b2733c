"""A walk visits what a loop would visit, wherever windows begin."""

import numpy as np
import pytest

from freehold_lab.owners.heaps.chunks import WINDOW, walk


def by_loop(steps, first, end):
    found = []
    at = first
    while at < end:
        found.append(at)
        if steps[at] == 0:
            break
        at += steps[at]
    return found


@pytest.mark.parametrize("seed", range(20))
def test_visits_what_a_loop_does(seed):
    chance = np.random.default_rng(seed)
    end = int(chance.integers(1, 10 * WINDOW))
    steps = chance.integers(1, chance.choice([3, 40, 1000]), size=end).astype(np.int32)
    first = int(chance.integers(0, min(end, WINDOW)))
    assert walk(steps, first, end).tolist() == by_loop(steps, first, end)


@pytest.mark.parametrize("stuck", [0, 1, WINDOW - 1, WINDOW, 3 * WINDOW])
def test_stops_where_it_cannot_go_on(stuck):
    steps = np.ones(4 * WINDOW, np.int32)
    steps[stuck] = 0
    assert walk(steps, 0, len(steps)).tolist() == list(range(stuck + 1))


def test_a_step_may_lead_over_windows():
    steps = np.zeros(10 * WINDOW, np.int32)
    steps[0], steps[7 * WINDOW + 3] = 7 * WINDOW + 3, 1
    assert walk(steps, 0, len(steps)).tolist() == [0, 7 * WINDOW + 3, 7 * WINDOW + 4]


def test_ends_before_the_end():
    assert walk(np.full(100, 7, np.int32), 0, 15).tolist() == [0, 7, 14]
