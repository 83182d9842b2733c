"""Samples by bytes: what is estimated from them."""

import re

import pytest

from freehold_lab.advise import command, work
from freehold_lab.errors import LabError


def figures(recorded, caller):
    """Returns the blocks, bytes and bytes left of what a function allocates."""
    sites = [site for site, chain in recorded.named("") if any(each.startswith(f"{caller}(") for each in chain)]
    return [sum(getattr(site, name) for site in sites) for name in ("blocks", "bytes", "left_bytes")]


@pytest.mark.parametrize(
    ("caller", "blocks", "size", "share_left"),
    [("pairs", 700_000, 24, 0), ("grow", 160_000, 100, 1), ("resize", 8_000, 2080, 0)],
)
def test_figures_of_each_site_are_near_the_truth(mixture, caller, blocks, size, share_left):
    near = pytest.approx([blocks, blocks * size, blocks * size * share_left], rel=0.1, abs=4096 * 3)
    assert figures(mixture, caller) == near


def test_totals_are_near_the_truth(mixture):
    found = mixture.summary()
    assert found.bytes == pytest.approx(700_000 * 24 + 160_000 * 100 + 8_000 * 2080, rel=0.05)


def test_each_sample_is_of_a_site(mixture):
    found = mixture.summary()
    assert sum(each.recorded for each in found.sites) == found.samples


def test_a_free_is_recorded_only_of_a_sample(mixture):
    found = mixture.summary()
    assert (found.of_unknown, mixture.recording.lost) == (0, 0)
    assert found.events < 2 * found.samples + 10


def test_every_block_that_is_much_larger_than_the_distance_is_counted_once(record):
    assert figures(record("large", sampled=4096), "grow") == [50, 50 << 20, 50 << 20]


def test_a_block_that_another_thread_frees_is_forgotten(record):
    found = record("handed", 5_000, sampled=64)
    blocks, _, left = figures(found, "take")
    assert blocks == pytest.approx(5_000, rel=0.15)
    assert (left, found.summary().of_unknown) == (0, 0)


def test_threads_choose_by_themselves(record):
    assert figures(record("threads", 4, 100_000, sampled=1024), "take")[0] == pytest.approx(400_000, rel=0.1)


def test_a_child_chooses_by_itself(record):
    found = record("forked", sampled=64)
    blocks = [sum(site.blocks for site, _ in found.named("take", each)) for each in range(2)]
    assert blocks == [pytest.approx(1001, rel=0.3), pytest.approx(2000, rel=0.3)]


def test_estimates_are_told_as_such(cases, capsys):
    command.run(work.Request((cases, "pairs", "100000"), sample="4K"))
    told = capsys.readouterr().out
    assert "All figures are estimates from" in told
    assert "one in 4.0 KiB;" in told
    assert re.search(r"\d of these \d sites have fewer than 100 samples", told)


def test_a_prediction_needs_every_call():
    with pytest.raises(LabError, match="--rerun needs every call"):
        command.run(work.Request(("true",), rerun=True, sample="4K"))
