"""Sizes of handles and of what they own."""

import pytest

from fakes import program
from freehold_lab.errors import LabError
from freehold_lab.measure import probe
from freehold_lab.model import Data


def test_sizes_are_what_the_probe_prints(tmp_path):
    answer = '{"handle": 8, "control": 0.5, "altogether": 48.5, "allocations": 1}'
    executable = program(tmp_path, "probe_raw", f"echo '{answer}'")
    expected = Data(compiler="g++-12", strategy="raw", handle=8, control=0.5, altogether=48.5, allocations=1)
    assert probe.data_size(executable, "g++-12", "raw") == expected


def test_a_probe_that_prints_something_else_is_named(tmp_path):
    executable = program(tmp_path, "probe_raw", """echo '{"handle": 8}'""")
    with pytest.raises(LabError, match="probe_raw data-size: unexpected output"):
        probe.data_size(executable, "g++-12", "raw")


@pytest.mark.parametrize(
    ("strategy", "handle", "control", "allocations", "weak"),
    [
        ("raw", 8, 0, 1, None),
        ("std_shared_ptr", 16, 16, 1, 16),  # a virtual table and two counts
        ("std_shared_ptr_new", 16, 32, 2, None),  # those, a pointer, and malloc's own header
        ("std_unique_ptr", 16, 0, 1, None),
        ("managed_ptr", 32, 0, 1, None),
        ("std_atomic_shared_ptr", 16, 16, 1, None),
    ],
)
def test_sizes_that_are_known(probes, strategy, handle, control, allocations, weak):
    data = probe.data_size(probes.executable(strategy), probes.compiler, strategy)
    assert (data.handle, data.allocations, data.weak) == (handle, allocations, weak)
    assert data.control == pytest.approx(control, abs=0.01)
    # Objects of 24 and 32 bytes, for which malloc takes 32 and 48.
    assert data.altogether == pytest.approx(handle + 40 + control, abs=0.01)


def test_a_count_has_a_block_of_its_own_where_it_is_neither_in_the_object_nor_beside_it(probes):
    apart = {
        strategy
        for strategy in probes.taking_part("data-size")
        if probe.data_size(probes.executable(strategy), probes.compiler, strategy).allocations == 2
    }
    assert apart == {"std_shared_ptr_new"} | {
        strategy
        for strategy in ("shared_ptr_new", "shared_ptr_deleter", "shared_ptr_pool", "shared_ptr_pmr_pool")
        if strategy in probes.strategies
    }


def test_every_strategy_has_sizes(probes):
    for strategy in probes.taking_part("data-size"):
        data = probe.data_size(probes.executable(strategy), probes.compiler, strategy)
        assert data.handle >= 8
        assert -16 < data.control < 100
