"""The counts of Freehold's blocks are read here as the debuggers read them."""

import importlib.util

import numpy as np
import pytest

from freehold_lab import folders
from freehold_lab.owners.image.memory import Image, Segment
from freehold_lab.owners.tables import freehold

AT, SHARDS = 0x10000, 0x20000
ONE = freehold.ONE_OWNER


@pytest.fixture(scope="module")
def debuggers():
    spec = importlib.util.spec_from_file_location("counts_of_debuggers", folders.DEBUGGER / "freehold_counts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(policy, *words):
    block, shards = np.array(words, np.int64), np.arange(8 * 4, dtype=np.int64)
    segments = [
        Segment(at, at + each.nbytes, "rw-p", data=each.view(np.uint8)) for at, each in ((AT, block), (SHARDS, shards))
    ]
    owners, weak = freehold.counts(Image("memory", "x86-64", segments, []), np.array([AT]), policy)
    return int(owners[0]), int(weak[0])


@pytest.mark.parametrize("word", [1, ONE + 1, 5 * ONE + 3, -(1 << 59) + 1, -(1 << 59) + 4])
def test_a_word_that_counts_all(debuggers, word):
    assert read("atomic", word) == tuple(debuggers.in_word(word))


def test_an_immortal_object_has_owners():
    assert read("plain", -(1 << 62)) == (freehold.IMMORTAL, 0)


@pytest.mark.parametrize("base", [freehold.BIASED, freehold.QUEUED])
@pytest.mark.parametrize("apart", [0, 1, 7])
def test_a_biased_word(debuggers, base, apart):
    word = base + 2 * ONE + 3
    assert read("biased", word, 0, apart) == tuple(debuggers.in_biased(word, apart))


@pytest.mark.parametrize("last", [0, 1, 3])
def test_a_sharded_word(debuggers, last):
    word, shards = freehold.SHARDS_OPEN + 2 * ONE + 2, SHARDS | last << 2
    expected = debuggers.in_sharded(word, shards, lambda address: (address - SHARDS) // 8)
    assert read("sharded", word, shards) == tuple(expected)


def test_a_link_is_no_count():
    owners, _ = read("atomic", AT)
    assert owners == -1
