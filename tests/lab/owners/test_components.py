"""The loop finds the components that scipy finds, whatever their numbers."""

import numpy as np
import pytest

from freehold_lab.owners.graph import components


def same(one, other):
    return len({*zip(one.tolist(), other.tolist(), strict=True)}) == len({*one.tolist()}) == len({*other.tolist()})


@pytest.mark.parametrize("seed", range(10))
def test_both_ways_agree(seed, monkeypatch):
    chance = np.random.default_rng(seed)
    count, edges = 200, int(chance.choice([50, 200, 400, 1000]))
    source, target = chance.integers(0, count, edges), chance.integers(0, count, edges)
    number, by_loop = components.strong(source, target, count)
    monkeypatch.setattr(components, "MOST_BY_LOOP", 0)
    expected, by_scipy = components.strong(source, target, count)
    assert number == expected
    assert same(by_loop, by_scipy)


def test_a_long_chain_needs_no_recursion():
    count = 9000
    number, label = components.strong(np.arange(count - 1), np.arange(1, count), count)
    assert (number, len({*label.tolist()})) == (count, count)
