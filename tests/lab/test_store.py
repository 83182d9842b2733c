"""Results on disk: whole or not at all, and never lost."""

import base64
import errno
import gzip
import json
import os

import pytest

from freehold_lab import store
from freehold_lab.errors import LabError
from freehold_lab.model import State
from freehold_lab.report.html import render, write
from synthetic import make_result


@pytest.fixture
def result():
    return make_result(rounds=1)


@pytest.fixture
def latest(tmp_path):
    return tmp_path / "latest.json"


def test_what_is_saved_is_what_is_loaded(result, latest):
    store.save(result, latest)
    assert store.load(latest) == result


def test_a_result_of_version_0_1_still_opens(result, latest):
    """Its families and strategies may have other names today, and its findings are its own."""
    text = result.model_dump_json().replace('"family":"traced"', '"family":"collection"')
    assert '"collection"' in text
    latest.write_text(text)
    opened = store.load(latest)
    assert "collection" in {strategy.family for strategy in opened.strategies}
    assert render(opened)


@pytest.mark.parametrize(
    ("workload", "then", "now"),
    [
        ("churn", {1000: 5_000}, {20_000: 100_000}),  # of 20,000 live blocks 1,000 were replaced
        ("larson", {1: 70}, {2: 70}),  # there were two threads
        ("producer-consumer", {1: 70}, {2: 70}),
        ("batch", {1000: 5_000}, {1000: 5_000}),
    ],
)
def test_points_of_version_0_1_are_told_as_they_would_be_today(result, latest, workload, then, now):
    at = {"workload": workload, "compiler": "g++-12", "strategy": "new_delete", "state": State.THREADED}
    points = [{"series": "s", "x": x, "nanoseconds": time} for x, time in then.items()]
    counts = [at | {"series": "s", "x": x, "instructions": time, "locked": time} for x, time in then.items()]
    peaks = [at | {"series": "s", "x": x, "peak": 4096, "left": 0} for x in then]
    for peak in peaks:
        del peak["state"]
    written = result.model_dump() | {
        "freehold": "0.1.0",
        "launches": [{"round": 0, "cell": at, "checksum": "0", "points": points}],
        "counts": counts,
        "peaks": peaks,
    }
    latest.write_text(json.dumps(written))
    opened = store.load(latest)
    assert {point.x: point.nanoseconds for launch in opened.launches for point in launch.points} == now
    assert {count.x: count.instructions for count in opened.counts} == now
    assert {count.x: count.locked for count in opened.counts} == now
    assert [peak.x for peak in opened.peaks] == list(now)


def test_points_of_today_stay_as_they_are(result, latest):
    store.save(result, latest)
    assert store.load(latest).launches == result.launches


def test_a_page_is_read_as_the_result_that_it_was_drawn_from(result, latest):
    page = latest.with_suffix(".html")
    page.write_text(render(result))
    assert store.load(page).launches == result.launches
    page.write_text("<html></html>")
    with pytest.raises(LabError, match="^there is no result in this page"):
        store.load(page)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"notes": ["\x1b[2J"]}, "control characters"),
        ({"notes": ["a" * 30_000]}, "notes.0: String should have at most 20000 characters"),
        ({"launches": [{"x": 0}]}, "launches.0.points.0.x: Input should be greater than or equal to 1"),
        ({"launches": [{"nanoseconds": 1e300}]}, "launches.0.points.0.nanoseconds: Input should be less than"),
        ({"launches": [{"series": ""}]}, "launches.0.points.0.series: String should have at least 1 character"),
    ],
)
def test_what_no_measurement_gives_is_no_result(result, latest, change, fault):
    written = json.loads(result.model_dump_json())
    if "launches" in change:
        written["launches"][0]["points"][0] |= change["launches"][0]
    else:
        written |= change
    latest.write_text(json.dumps(written))
    with pytest.raises(LabError, match=fault):
        store.load(latest)


def test_an_unknown_workload_is_no_result(result, latest):
    latest.write_text(result.model_dump_json().replace('"workload":"containers"', '"workload":"nope"'))
    with pytest.raises(LabError, match="there is no workload called nope"):
        store.load(latest)


def test_results_of_one_second_are_all_kept(result, latest):
    kept = set()
    for _ in range(3):
        store.save(result, latest)
        kept.add(store.keep(latest, result))
    assert len(kept) == 3
    assert all(path.exists() for path in kept)


def test_the_moment_of_a_result_names_no_other_folder(result, latest):
    store.save(result, latest)
    assert store.keep(latest, result.model_copy(update={"started": "../../evil"})).parent == latest.parent


def test_a_page_is_not_lost_on_a_full_disk(result, latest, full_disk):
    page = latest.with_suffix(".html")
    page.write_text("Freehold: the old page")
    with pytest.raises(LabError, match="cannot save"):
        write(result, page)
    assert page.read_text() == "Freehold: the old page"


def test_a_page_of_something_else_is_not_overwritten(result, latest):
    page = latest.with_suffix(".html")
    page.write_text("<h1>my notes</h1>")
    with pytest.raises(LabError, match="is no page of this laboratory"):
        write(result, page)
    assert page.read_text() == "<h1>my notes</h1>"


@pytest.mark.parametrize(
    "damage", [b"", b"\x1f\x8b", gzip.compress(b'{"@": [9], "c": []}', mtime=0), gzip.compress(b"[" * 99999, mtime=0)]
)
def test_a_damaged_page_is_one_line(latest, damage):
    page = latest.with_suffix(".html")
    packed = base64.b64encode(damage).decode()
    page.write_text(f'<script type="text/plain" id="result">{packed}</script>')
    with pytest.raises(LabError):
        store.load(page)


def test_saving_leaves_one_file(result, latest):
    store.save(result, latest)
    assert os.listdir(latest.parent) == ["latest.json"]


@pytest.fixture
def full_disk(monkeypatch):
    def fail(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)


def test_a_full_disk_is_one_line(result, latest, full_disk):
    with pytest.raises(LabError, match="^cannot save .*/latest.json: No space left on device; what was saved before"):
        store.save(result, latest)


def test_a_full_disk_leaves_the_old_file_whole_and_nothing_else(result, latest, full_disk):
    latest.write_text("the old result")
    with pytest.raises(LabError):
        store.save(result, latest)
    assert os.listdir(latest.parent) == ["latest.json"] and latest.read_text() == "the old result"


def test_a_missing_file_is_reported(latest):
    with pytest.raises(LabError, match="^cannot read .*/latest.json: No such file or directory$"):
        store.load(latest)


def test_a_folder_is_reported(tmp_path):
    with pytest.raises(LabError, match="is not a result: not a file$"):
        store.load(tmp_path)


def test_a_file_that_is_not_text_is_reported(latest):
    latest.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LabError, match="is not a result: not a text file$"):
        store.load(latest)


def test_a_truncated_file_is_reported(result, latest):
    store.save(result, latest)
    latest.write_text(latest.read_text()[:1000])
    with pytest.raises(LabError, match="is not a result: damaged or truncated"):
        store.load(latest)


def test_an_empty_file_is_reported(latest):
    latest.write_text("")
    with pytest.raises(LabError, match="is not a result: damaged or truncated"):
        store.load(latest)


def test_another_schema_is_reported(result, latest):
    latest.write_text(json.dumps(result.model_dump(mode="json") | {"schema_version": 7}))
    with pytest.raises(LabError, match=r"another version of the lab wrote it \(schema 7, not 2\)$"):
        store.load(latest)


def test_other_json_is_reported(latest):
    latest.write_text('{"color": "red"}')
    with pytest.raises(LabError, match="is not a result: freehold: Field required$"):
        store.load(latest)


def test_a_fault_is_one_line(latest):
    latest.write_text("{\n\n]")
    with pytest.raises(LabError, match="^[^\n]*$"):
        store.load(latest)


def test_the_output_folder_is_made(tmp_path):
    store.prepare(tmp_path / "a" / "b")
    assert os.listdir(tmp_path / "a" / "b") == []


def test_a_file_where_the_output_folder_should_be_is_reported(tmp_path):
    (tmp_path / "results").write_text("a file")
    with pytest.raises(LabError, match="^cannot write to the output folder .*/results: File exists$"):
        store.prepare(tmp_path / "results")


def test_an_output_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("a file")
    with pytest.raises(LabError, match="^cannot write to the output folder .*: Not a directory$"):
        store.prepare(tmp_path / "file" / "results")


def test_a_result_is_kept_by_the_moment_of_its_start(result, latest):
    store.save(result, latest)
    latest.with_suffix(".html").write_text("its page")
    store.keep(latest, result)
    assert sorted(os.listdir(latest.parent)) == ["2025-01-01T12-00-00+00-00.html", "2025-01-01T12-00-00+00-00.json"]


def test_what_is_set_aside_is_numbered(latest):
    for number in (1, 2):
        latest.write_text("damaged")
        assert store.set_aside(latest).name == f"latest.json.corrupt-{number}"
