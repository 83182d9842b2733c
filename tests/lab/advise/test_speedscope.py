"""The export for speedscope: every site is a stack with its figures."""

import json

import pytest
from made_up_advice import a_site, a_summary

from freehold_lab.advise.answers import speedscope
from freehold_lab.errors import LabError


@pytest.fixture
def exported(tmp_path):
    sites = [a_site([(-1, 3), (-1, 1)], blocks=2, bytes=30), a_site([(-1, 2), (-1, 1)], blocks=1, bytes=70, at_peak=70)]
    speedscope.write(a_summary(sites=sites), tmp_path / "profile.json")
    return json.loads((tmp_path / "profile.json").read_text())


def test_stacks_begin_with_the_outermost_caller(exported):
    names = [each["name"] for each in exported["shared"]["frames"]]
    stacks = [[names[frame] for frame in stack] for stack in exported["profiles"][0]["samples"]]
    assert stacks == [["0x1", "0x3"], ["0x1", "0x2"]]


def test_each_figure_is_a_profile_unless_it_is_nothing(exported):
    told = {each["name"]: (each["weights"], each["endValue"]) for each in exported["profiles"]}
    assert told == {
        "bytes allocated": ([30, 70], 100),
        "blocks allocated": ([2, 1], 3),
        "bytes at the peak": ([0, 70], 70),
    }


def test_another_file_is_left_as_it_is(tmp_path):
    mine = tmp_path / "mine.json"
    mine.write_text("{}")
    with pytest.raises(LabError, match="is left as it is"):
        speedscope.write(a_summary(sites=[]), mine)
    assert mine.read_text() == "{}"
