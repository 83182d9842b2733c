"""Memory that is not malloc's is told."""

import pytest
from made_up_advice import a_site, a_summary

from freehold_lab.advise.answers import unseen

MIB = 1 << 20


def test_what_a_program_maps_is_told(record):
    found = record("mapped")
    told = unseen.note(found.summary(), found.recording.processes[0].resident)
    assert told.startswith("At least 5") or told.startswith("At least 6")
    assert "MiB that were resident at most are in no figure" in told


def test_what_malloc_has_given_is_not_unseen(record):
    found = record("mixture")
    assert found.recording.processes[0].resident > unseen.OF_RECORDER + unseen.LEAST  # or nothing could be told
    assert unseen.note(found.summary(), found.recording.processes[0].resident) == ""


@pytest.mark.parametrize(
    ("resident", "live", "blocks"),
    [
        (11 * MIB, 0, 0),  # little
        (110 * MIB, 80 * MIB, 0),  # a small part
        (100 * MIB, 20 * MIB, 3_000_000),  # small blocks, each with a header
        (0, 80 * MIB, 0),  # nothing was seen
    ],
)
def test_what_is_not_considerable_is_not_told(resident, live, blocks):
    assert unseen.note(a_summary(most_bytes=live, most_blocks=blocks), resident) == ""


def test_the_recorder_is_not_counted():
    summary = a_summary(most_bytes=0, most_blocks=0)
    assert unseen.note(summary, 14 * MIB)
    summary.sites.extend([a_site([], blocks=1, bytes=1)] * 1000)
    assert unseen.note(summary, 14 * MIB) == ""
