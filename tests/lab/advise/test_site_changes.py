"""Which changes of a program are candidates, and what is said of them."""

import pytest

from freehold_lab.advise import building
from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.changes import chains, control_blocks, growth, pools
from freehold_lab.advise.replay import replaying


def found(recorded, kind):
    summary = recorded.summary()
    names = Names(summary.modules)
    return kind.candidates(chains.find(summary, names))


@pytest.mark.parametrize(
    ("program", "kind", "change", "evidence"),
    [
        (("grow", 50), growth, "reserve() before what grows in grow (cases.cpp:", "350 of 400 blocks"),
        (("own", 500), control_blocks, "std::make_shared in own (cases.cpp:", "500 blocks hold only the counts"),
        (("sort", 500), pools, "a freehold::small_block_allocator for the container in sort (cases.cpp:", "of 48 B"),
        (
            ("batches", 10, 50),
            pools,
            "freehold::pooled_object as a base of what is made in batch",
            "500 blocks of 16 B",
        ),
    ],
)
def test_a_change_is_found_at_its_line(record, program, kind, change, evidence):
    (only,) = found(record(*program), kind)
    assert only.change.startswith(change)
    assert evidence in only.evidence


def test_elements_that_are_bytes_cost_nothing_to_move(record):
    (only,) = found(record("grow", 50), growth)
    assert only.besides.low == only.besides.high  # the vector is known by its whole name, with its allocator


@pytest.mark.parametrize(
    ("program", "kind"),
    [(("own", 500), growth), (("sort", 500), control_blocks), (("grow", 50), pools), (("pairs", 500), pools)],
)
def test_what_is_none(record, program, kind):
    assert found(record(*program), kind) == []


def test_a_block_that_is_left_out_takes_nothing(record, tmp_path):
    recorded, steps = record("own", 2000), tmp_path / "steps"
    (joined,) = found(recorded, control_blocks)
    figures = []
    for change in ((), joined.replayed):
        recorded.summary(0, steps, change)
        replay = replaying.Steps(steps)
        figures.append(replay.instructions() - replay.without_allocator())
    assert 0.3 < figures[1] / figures[0] < 0.6


def test_only_what_was_outgrown_is_left_out(record, tmp_path):
    recorded, steps = record("grow", 50), tmp_path / "steps"
    (reserved,) = found(recorded, growth)
    recorded.summary(0, steps, reserved.replayed)
    again = record(steps, program=str(building.replay(is_cxx=True))).summary()
    assert 50 <= again.kinds[4] < 80


def test_an_unknown_change_is_told(record, tmp_path):
    with pytest.raises(Exception, match="no change is called other"):
        record("own", 1).summary(0, tmp_path / "steps", ("other", "1"))
