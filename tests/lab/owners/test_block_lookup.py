"""The table finds for each address the block that a search finds."""

import numpy as np
import pytest

from freehold_lab.owners.heaps.lookup import GAP, Places


def blocks(seed):
    chance = np.random.default_rng(seed)
    count = 500
    sizes = 16 * chance.integers(1, 30, count) + 8  # glibc's: a block ends in the first word of the next chunk
    gaps = 8 + 16 * chance.integers(0, 4, count)
    gaps[chance.integers(0, count, 3)] += 3 * GAP // 16 * 16
    starts = 0x555500000010 + np.cumsum(sizes + gaps) - sizes
    return starts // 16 * 16, starts // 16 * 16 + sizes


@pytest.mark.parametrize("seed", range(5))
def test_finds_what_a_search_finds(seed):
    starts, ends = blocks(seed)
    asked = np.concatenate([starts, starts - 1, ends, ends - 1, starts + 8, (starts + ends) // 2])
    place = np.searchsorted(starts, asked, "right") - 1
    expected = np.where((place >= 0) & (asked < ends[np.maximum(place, 0)]), place, -1)
    assert Places(starts, ends).index(asked).tolist() == expected.tolist()


def test_no_block_holds_no_address():
    none = np.empty(0, np.int64)
    assert Places(none, none).index(np.array([0, 1 << 40])).tolist() == [-1, -1]


def test_is_small_where_blocks_are_far_apart():
    starts = np.arange(4, dtype=np.int64) << 40
    places = Places(starts, starts + 32)
    assert len(places._table) < 100
    assert places.index(starts + 31).tolist() == [0, 1, 2, 3]
