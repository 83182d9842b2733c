"""The export for pprof: its reader finds the same totals."""

import gzip
import re
import shutil
import subprocess

import pytest
from made_up_advice import a_site, a_summary

from freehold_lab.advise.answers import pprof
from freehold_lab.errors import LabError

SITES = [
    a_site([(0, 3), (0, 1)], blocks=2, bytes=30, freed=1, left_bytes=20, at_peak=30),
    a_site([(-1, 2), (0, 1)], blocks=1000, bytes=1 << 40, freed=1000, at_peak=70),
]


@pytest.fixture
def exported(tmp_path):
    pprof.write(a_summary(sites=SITES), tmp_path / "profile.pb.gz", sampled=512)
    return tmp_path / "profile.pb.gz"


@pytest.fixture
def shown(exported):
    """Returns what pprof says, given its options."""
    program = ["pprof"] if shutil.which("pprof") else ["go", "tool", "pprof"]
    if not shutil.which(program[0]):
        pytest.skip("pprof is not installed")

    def run(*options):
        return subprocess.run([*program, *options, exported], capture_output=True, text=True, check=True).stdout

    return run


@pytest.mark.parametrize(
    ("kind", "total"),
    [
        *[("alloc_objects", 1002), ("alloc_space", (1 << 40) + 30)],
        *[("inuse_objects", 1), ("inuse_space", 20), ("peak_space", 100)],
    ],
)
def test_totals_are_those_of_the_sites(shown, kind, total):
    unit = "B" if "space" in kind else ""
    told = shown("-top", "-nodefraction=0", f"-sample_index={kind}", *(["-unit=B"] if unit else []))
    assert re.search(rf" of {total}{unit} total", told)


def test_stacks_begin_with_the_innermost_caller(shown):
    raw = shown("-raw")
    assert re.search(r"2 +30 +1 +20 +30: 3 2 *\n", raw)
    assert "0x3 M=1 program+0x3" in raw


def test_it_says_how_much_was_sampled(shown):
    assert "PeriodType: space bytes\nPeriod: 512" in shown("-raw")


def test_it_is_small_and_may_be_written_again(exported):
    before = exported.read_bytes()
    pprof.write(a_summary(sites=SITES), exported, sampled=512)
    assert exported.read_bytes() == before
    assert b"program+0x3" in gzip.decompress(before)


def test_another_file_is_left_as_it_is(tmp_path):
    mine = tmp_path / "mine.pb.gz"
    mine.write_bytes(gzip.compress(b"mine"))
    with pytest.raises(LabError, match="is left as it is"):
        pprof.write(a_summary(sites=[]), mine)
