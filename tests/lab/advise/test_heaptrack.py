"""The export for heaptrack: its reader finds the same totals."""

import gzip
import re
import shutil
import subprocess

import pytest

from freehold_lab.advise import command
from freehold_lab.advise.answers import heaptrack
from freehold_lab.errors import LabError

UNITS = {"B": 1, "K": 1e3, "M": 1e6, "G": 1e9}


@pytest.fixture
def export(record, tmp_path):
    def run(*arguments, name="exported"):
        found = record(*arguments)
        recording, process = found.recording, found.recording.busiest
        heaptrack.write(recording, process, found.summary(), tmp_path / name, tmp_path)
        return found.summary(), tmp_path / name

    return run


def printed(path):
    """Returns what heaptrack_print says of the calls, and of bytes at the peak and at the end."""
    if not shutil.which("heaptrack_print"):
        pytest.skip("heaptrack is not installed")
    told = subprocess.run(
        ["heaptrack_print", "--disable-builtin-suppressions", path], capture_output=True, text=True, check=True
    ).stdout
    calls = re.search(r"^calls to allocation functions: (\d+)", told, re.MULTILINE)
    sizes = [
        re.search(rf"^{what}: ([\d.]+)([BKMG])$", told, re.MULTILINE)
        for what in ("peak heap memory consumption", "total memory leaked")
    ]
    return [int(calls[1]), *(float(each[1]) * UNITS[each[2]] for each in sizes)], told


@pytest.mark.parametrize("arguments", [("hold",), ("threads", 4, 1000), ("mixture",), ("kinds",)])
def test_totals_are_the_same(export, arguments):
    found, path = export(*arguments)
    totals, _ = printed(path)
    assert totals[0] == found.allocations + found.reallocations
    assert totals[1:] == pytest.approx([found.most_bytes, found.left_bytes], rel=0.005)


def test_callers_have_names(export):
    _, path = export("pairs", 10)
    names = re.findall(r"^ *(take|pairs|main)\b", printed(path)[1], re.MULTILINE)
    assert names[:3] == ["take", "pairs", "main"]


def test_each_call_is_a_line(export):
    found, path = export("pairs", 1000)
    lines = [line[0] for line in path.read_text().splitlines()]
    assert lines.count("+") == found.allocations
    assert lines.count("-") == found.frees


def test_it_is_compressed_by_its_name(export):
    _, path = export("pairs", 1000, name="exported.gz")
    assert gzip.decompress(path.read_bytes()).startswith(b"v 10400 2\n# freehold advise\n")


@pytest.mark.parametrize("name", ["mine", "mine.gz"])
def test_another_file_is_left_as_it_is(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(LabError, match="is left as it is"):
        heaptrack.check(tmp_path / name)


def test_a_name_that_promises_zstd_is_refused(tmp_path):
    with pytest.raises(LabError, match="compressed by zstd"):
        heaptrack.check(tmp_path / "exported.zst")


def test_it_needs_every_call(tmp_path):
    with pytest.raises(LabError, match="--heaptrack needs every call"):
        command.run(command.Request(("true",), sample="4K", heaptrack=tmp_path / "exported"))
