"""A replay makes the calls of the recording again."""

import pytest

from freehold_lab.advise import building
from freehold_lab.advise.analysis.summary import KINDS
from freehold_lab.advise.replay import replaying


def test_a_replay_calls_the_same_functions(record, tmp_path):
    steps = tmp_path / "steps"
    first = record("kinds").summary(0, steps)
    again = record(steps, program=str(building.replay(is_cxx=True))).summary()
    for name, before, after in zip(KINDS, first.kinds, again.kinds, strict=True):
        assert before <= after <= before + 20, name


@pytest.mark.parametrize("is_cxx", [True, False])
def test_what_an_allocator_takes_is_the_difference_to_none(record, tmp_path, is_cxx):
    steps = tmp_path / "steps"
    record("pairs", 20_000).summary(0, steps)
    found = replaying.Steps(steps, is_cxx)
    taken = found.instructions() - found.without_allocator()
    assert 20_000 * 10 < taken < 20_000 * 200


def test_the_peak_is_that_of_the_heap(record, tmp_path):
    steps = tmp_path / "steps"
    record("hold").summary(0, steps)
    assert 3 << 20 <= replaying.Steps(steps).memory().peak < 4 << 20


def test_an_arena_takes_what_a_batch_allocates(record, tmp_path):
    steps = tmp_path / "steps"
    found = record("batches", 100, 100)
    (node, *_) = [each for each in found.summary().nodes if each.batches == 100 and each.blocks == 10_000]
    found.summary(0, steps)
    usual = replaying.Steps(steps).instructions()
    found.summary(0, steps, ("arena", str(node.number)))
    assert replaying.Steps(steps).instructions() < usual * 0.9


def test_a_replay_of_c_needs_no_other_library(record, tmp_path):
    steps = tmp_path / "steps"
    record("pairs", 1000).summary(0, steps)
    found = record(steps, program=str(building.replay(is_cxx=False))).summary()
    assert not found.is_cxx
    assert found.allocations >= 1000
