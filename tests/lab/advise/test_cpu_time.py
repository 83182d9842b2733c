"""Samples of CPU time say how much of it an allocator takes at most."""

import pytest
from made_up_advice import a_summary

from freehold_lab.advise.answers import bound
from freehold_lab.advise.replay import cpu_time
from freehold_lab.advise.replay.counting import Usage
from freehold_lab.advise.replay.replaying import Memory
from freehold_lab.errors import LabError


def test_an_allocator_is_found_in_the_c_library(cases):
    found = cpu_time.of_allocation([cases, "pairs", "20000000"], None)
    assert found.share > 0.5


def test_other_code_is_none(cases):
    found = cpu_time.of_allocation([cases, "loop", "300000000"], None)
    assert found.share < 0.2


@pytest.mark.parametrize(("left_out", "told"), [(0, "1,234 samples"), (5678, "1,234 samples, without the last 5,678")])
def test_samples_that_had_no_room_are_told(left_out, told):
    assert cpu_time.Sampled(0.5, 1234, left_out).told == told


def test_what_ends_at_once_says_nothing(cases):
    with pytest.raises(LabError, match="too little CPU time"):
        cpu_time.of_allocation([cases, "exit", "0"], None)


def test_a_share_of_the_time_is_told_as_such():
    usage = Usage(status=0, seconds=1.0, cpu=1.0, system=0.0, faults=1, peak=0)
    found = bound.of_samples(a_summary(), usage, 0.25, Memory(1 << 28, 1 << 28, 0))
    assert found.reasons == ["allocation is 25.0% of the CPU time at most"]
