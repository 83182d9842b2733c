"""./freehold merge, on made-up results of several machines."""

import json
import shutil
from dataclasses import fields

import duckdb
import pytest

from freehold_lab import cli, statistics, store
from freehold_lab.machines import inputs, page
from freehold_lab.machines.between import between
from freehold_lab.machines.table import COLUMNS
from freehold_lab.model import Machine
from synthetic import Truth, make_result

STD = Truth("std_shared_ptr", "std::make_shared", "peers", 30, 5, True, 16, workloads=("operations", "list"))
FREE = Truth("shared_ptr", "in-place counted", "pointers", 20, 4, True, 16, workloads=("operations",))
THIN = Truth("thin_ptr", "thin", "pointers", 20, 4, True, workloads=("operations",))
QUICK_THIN = THIN._replace(initialisation=1, copy=0.5)


def result(*truths, seed=0, compilers=("g++-12",), processor="Example 9000", **options):
    made = make_result([STD, FREE, *truths], compilers=compilers, seed=seed, rounds=4, **options)
    made.machine = made.machine.model_copy(update={"processor": processor})
    made.plan = f"{seed:x}"
    made.findings = statistics.find(made)
    return made


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    """The results of a team's machines: thin_ptr is ahead on one of them."""
    folder = tmp_path_factory.mktemp("team")
    store.save(result(THIN, seed=1), folder / "anna.json")
    store.save(result(THIN, seed=2, compilers=("g++-14",)), folder / "berta.json")
    store.save(result(QUICK_THIN, seed=3, processor="Arm <b>N1</b>"), folder / "clara.json")
    return folder


@pytest.fixture
def merged(team, tmp_path, capsys):
    """Merges files of a copy of the team's, which a test may change first."""
    folder = tmp_path / "in"
    shutil.copytree(team, folder)

    def merge(*arguments):
        code = cli.main(["merge", str(folder), "--output", str(tmp_path / "out"), *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    merge.folder, merge.table, merge.page = folder, tmp_path / "out/merged.parquet", tmp_path / "out/merged.html"
    return merge


def asked(query, table):
    with duckdb.connect() as database:
        return database.execute(query.replace("merged", f"'{table}'")).fetchall()


def machines(table):
    return [name for (name,) in asked("SELECT DISTINCT machine FROM merged ORDER BY ALL", table)]


def test_a_row_for_each_point_of_each_machine(merged):
    assert merged()[0] == 0
    made = store.load(merged.folder / "anna.json")
    assert asked("SELECT count(DISTINCT machine) FROM merged", merged.table) == [(3,)]
    assert [row[0] for row in asked("DESCRIBE FROM merged", merged.table)] == list(COLUMNS)
    where = "machine = 'anna' AND strategy = 'shared_ptr' AND state = 'threaded' AND x = 16"
    query = f"SELECT median_ns, ratio, low, high, tie, instructions, locked, reference FROM merged WHERE {where}"
    [(median, *ratio, instructions, locked, reference)] = asked(query, merged.table)
    times = [
        point.nanoseconds
        for launch in made.launches
        if (launch.cell.strategy, launch.cell.state, launch.cell.control) == ("shared_ptr", "threaded", False)
        for point in launch.points
        if point.x == 16
    ]
    assert median == pytest.approx(sorted(times)[1] / 2 + sorted(times)[2] / 2)
    found = [
        each for each in made.findings.ratios if (each.strategy, each.state, each.x) == ("shared_ptr", "threaded", 16)
    ]
    assert ratio == [found[0].ratio, found[0].low, found[0].high, found[0].tie]
    counted = [each for each in made.counts if (each.strategy, each.state, each.x) == ("shared_ptr", "threaded", 16)]
    assert (instructions, locked, reference) == (counted[0].instructions, counted[0].locked, "std_shared_ptr")


def test_the_terminal_and_the_page_say_where_the_pick_changes(merged):
    _, out, _ = merged()
    line = "Shared between threads, g++: shared_ptr on anna, berta; thin_ptr on clara"
    assert line in " ".join(out.split())
    assert line in merged.page.read_text()
    assert "Shared, mostly in one thread, g++:" not in out
    assert len(out.splitlines()) <= 40


def test_a_ratio_between_machines_has_an_interval_over_machines():
    found = between([0.4, 0.5, 0.6, 0.5, 0.45, 0.55, 0.5])
    assert found.ratio == pytest.approx(0.5)
    assert 0.4 <= found.low < 0.5 < found.high <= 0.6
    alone, pair = between([0.5]), between([0.8, 0.2])
    assert (alone.low, alone.high) == (pytest.approx(0.5), pytest.approx(0.5))
    assert (pair.low, pair.ratio, pair.high) == (pytest.approx(0.2), pytest.approx(0.4), pytest.approx(0.8))


def test_what_came_by_mail_is_escaped(merged):
    named = merged.folder / "<script>alert(1)<\x1b[31m.json"
    (merged.folder / "clara.json").rename(named)
    _, out, err = merged()
    source = merged.page.read_text()
    assert "Arm &lt;b&gt;N1&lt;/b&gt;" in source
    assert "<script" not in source
    assert "\x1b[31m" not in out + err + source


def test_bad_files_are_told_in_a_line_each_and_left_out(merged):
    (merged.folder / "cut.json").write_text((merged.folder / "anna.json").read_text()[:5000])
    (merged.folder / "note.json").write_text('{"dear": "colleague"}')
    old = json.loads((merged.folder / "anna.json").read_text()) | {"schema_version": 99}
    (merged.folder / "new\nlab.json").write_text(json.dumps(old))
    (merged.folder / "deep.json").write_text("[" * 200_000)
    (merged.folder / "huge.json").write_text(
        (merged.folder / "anna.json").read_text().replace('"x":16', f'"x":{10**30}')
    )
    (merged.folder / "binary.json").write_bytes(b"\xff\xfe\x00")
    (merged.folder / "folder.json").mkdir()
    code, _, err = merged()
    assert code == 2
    assert asked("SELECT DISTINCT machine FROM merged ORDER BY ALL", merged.table) == [
        ("anna",),
        ("berta",),
        ("clara",),
    ]
    left = [line for line in err.splitlines() if line.endswith("left out")]
    assert len(left) == 7
    assert "another version of the lab wrote it (schema 99" in err
    assert "Left out: " in merged.page.read_text()


def test_a_file_that_is_too_large_is_left_out(merged, monkeypatch):
    monkeypatch.setattr(store, "MOST_BYTES", 1000)
    code, _, err = merged()
    assert code == 2
    assert "larger than" in err
    assert "none of these files is a result" in err


def test_two_files_of_one_run_count_once(merged):
    whole = store.load(merged.folder / "anna.json")
    whole.complete, whole.findings, whole.launches = False, None, whole.launches[:-20]
    store.save(whole, merged.folder / "aborted.json")
    shutil.copy(merged.folder / "berta.json", merged.folder / "copy.json")
    code, _, err = merged()
    assert code == 0
    assert asked("SELECT DISTINCT machine FROM merged ORDER BY ALL", merged.table) == [
        ("anna",),
        ("berta",),
        ("clara",),
    ]
    assert [line.split()[1].rpartition("/")[2] for line in err.splitlines() if "same run" in line] == [
        "aborted.json",
        "copy.json",
    ]


def test_an_interrupted_run_counts_with_what_it_has(merged):
    made = store.load(merged.folder / "anna.json")
    made.complete, made.findings = False, None
    store.save(made, merged.folder / "anna.json")
    assert merged()[0] == 0
    assert asked("SELECT count(ratio) > 0 FROM merged WHERE machine = 'anna'", merged.table) == [(True,)]


def test_machines_are_called_after_files_or_their_folders(tmp_path):
    files = [
        "anna.json",
        "berta/latest.json",
        "clara/results/latest.json",
        "clara/2026-01-02T03-04-05.json",
        "x/anna.json",
    ]
    names = inputs.name_machines([tmp_path / file for file in files])
    assert names == ["anna", "berta", "clara", "clara (2)", "anna (2)"]


def test_sql_asks_what_was_merged(merged, capsys):
    query = "SELECT count(DISTINCT machine) AS machines, min(ratio) > 0 AS positive FROM merged"
    _, out, _ = merged("--sql", query)
    assert "machines" in out and "3" in out and "true" in out
    output = ["--output", str(merged.table.parent)]
    assert cli.main(["merge", "--sql", query, *output]) == 0
    assert "true" in capsys.readouterr().out
    assert cli.main(["merge", "--sql", "SELECT nothing FROM merged", *output]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_many_machines_share_columns_by_processor():
    machine = Machine(processor="Example", cores=2, kernel="Linux", libc="glibc")
    runs = [
        page.Run(
            name=f"m{number}",
            machine=machine.model_copy(update={"processor": f"Example {number % 3}"}),
            **dict.fromkeys({each.name for each in fields(page.Run)} - {"name", "machine"}),
        )
        for number in range(40)
    ]
    columns = page.columns_of(runs)
    assert [column.title for column in columns] == ["14 × Example 0", "13 × Example 1", "13 × Example 2"]
    assert [len(page.columns_of(runs[:count])) for count in (1, 12)] == [1, 12]


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["none.json"], "there is no file none.json"),
        (["*.txt"], "there is no file *.txt"),
        (["empty"], "no results in empty"),
        ([], "merge takes files"),
        (["--sql", "SELECT 1"], "merge results first"),
        (["anna.json", "--output", "/proc/nowhere"], "cannot write to the output folder"),
        (["anna.json", "--output", "anna.json"], "cannot write to the output folder"),
    ],
)
def test_bad_input_is_one_line(team, tmp_path, monkeypatch, capsys, arguments, complaint):
    monkeypatch.chdir(tmp_path)
    shutil.copy(team / "anna.json", "anna.json")
    (tmp_path / "empty").mkdir()
    output = [] if "--output" in arguments else ["--output", "out"]
    assert cli.main(["merge", *arguments, *output]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert len(said.splitlines()) == 1
