"""The command line: whatever is asked for wrongly is told in one line, with exit code 2 and no traceback."""

import os
import subprocess
import sys

import pytest

from freehold_lab import catalogue, cli, folders, run, store
from freehold_lab.errors import LabError
from freehold_lab.workloads import SIZES, WORKLOADS
from synthetic import make_result


def fault(capsys, *arguments):
    """Returns the one line that a faulty command line gets."""
    assert cli.main(list(map(str, arguments))) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert captured.out == "" and line.startswith("freehold: ")
    return line.removeprefix("freehold: ")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "Missing command"),
        (["fly"], "No such command 'fly'"),
        (["--fast"], "No such option: --fast"),
        (["run", "--fast"], "No such option: --fast"),
        (["run", "--only"], "'--only' requires an argument"),
        (["run", "everything"], "unexpected extra argument(s) (everything)"),
        (["run", "--only", "operatoins"], "there is no workload called operatoins. Did you mean operations?"),
        (["run", "--strategy", "share_ptr"], "there is no strategy called share_ptr. Did you mean shared_ptr?"),
        (["run", "--compiler", "tcc"], "there is no compiler called tcc"),
        (["test", "--preset", "gc"], "there is no preset called gc. Did you mean gcc?"),
        (["log"], "Missing argument 'FILE'"),
        (["report"], "Missing argument 'FILE'"),
        (["report", "nothing.json"], "cannot read nothing.json: No such file or directory"),
    ],
)
def test_a_wrong_command_line_is_one_line(capsys, monkeypatch, tmp_path, arguments, part):
    monkeypatch.chdir(tmp_path)
    if arguments[:1] == ["run"]:
        arguments = ["run", "--output", "results", "--no-count", *arguments[1:]]
    assert part in fault(capsys, *arguments)


def test_an_unknown_compiler_is_reported_before_anything_is_installed(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("freehold_lab.setup.install.install", lambda *_, **__: pytest.fail("installed"))
    assert "there is no compiler called tcc" in fault(capsys, "run", "--output", tmp_path, "--compiler", "tcc-1")


def test_an_output_folder_that_is_a_file_is_reported_first(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("freehold_lab.setup.install.install", lambda *_, **__: pytest.fail("installed"))
    (tmp_path / "results").write_text("a file")
    assert "cannot write to the output folder" in fault(capsys, "run", "--output", tmp_path / "results")


def test_a_truncated_result_is_reported(capsys, tmp_path):
    path = tmp_path / "latest.json"
    store.save(make_result(rounds=1), path)
    path.write_text(path.read_text()[:500])
    assert "is not a result: damaged or truncated" in fault(capsys, "report", path)


def test_another_fault_of_the_machine_is_one_line(capsys, monkeypatch):
    def fail(path):
        raise OSError(28, "No space left on device", "page.html")

    monkeypatch.setattr(store, "load", fail)
    assert fault(capsys, "report", "latest.json") == "page.html: No space left on device"


def test_a_fault_of_several_lines_becomes_one(capsys, monkeypatch):
    def fail(path):
        raise LabError("one\n  two")

    monkeypatch.setattr(store, "load", fail)
    assert fault(capsys, "report", "latest.json") == "one two"


def test_without_any_compiler_one_line_says_what_to_install(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "freehold_lab", "run", "--output", tmp_path],
        env=os.environ | {"PATH": "", "PYTHONPATH": str(folders.ROOT / "lab")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("freehold: no compiler for C++20 was found: install g++")


def test_the_help_names_every_command(capsys):
    assert cli.main(["--help"]) == 0
    assert {"run", "test", "doctor", "report"} <= set(capsys.readouterr().out.split())


def test_the_doctor_has_a_line_for_every_tool(capsys):
    assert cli.main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("cmake ") for line in lines) and any("valgrind" in line for line in lines)


def test_a_saved_result_is_drawn_beside_itself(tmp_path, capsys):
    store.save(make_result(rounds=3), tmp_path / "saved.json")
    assert cli.main(["report", str(tmp_path / "saved.json")]) == 0
    assert (tmp_path / "saved.html").stat().st_size > 1000


def test_a_saved_result_is_compared_with_another_strategy(tmp_path, capsys):
    store.save(make_result(rounds=3), tmp_path / "saved.json")
    assert cli.main(["report", str(tmp_path / "saved.json"), "--to", "thin_ptr"]) == 2
    assert "there is no strategy called thin_ptr" in capsys.readouterr().err
    assert cli.main(["report", str(tmp_path / "saved.json"), "--to", "linked_ptr", "--all"]) == 0
    assert "the time over that of linked" in " ".join(capsys.readouterr().out.split())


@pytest.fixture
def asked(monkeypatch):
    """The requests that reach the run, in which nothing is installed or measured."""
    requests = []
    monkeypatch.setattr("freehold_lab.setup.install.install", lambda *_, **__: None)
    monkeypatch.setattr(run, "run", lambda request: requests.append(request) or 0)
    return requests


def test_what_was_asked_reaches_the_run(asked, tmp_path):
    arguments = "run --quick --only operations --only containers --strategy raw --compiler g++ --no-count --output"
    cli.main([*arguments.split(), str(tmp_path)])
    assert asked == [run.Request(tmp_path, True, "", False, ("operations", "containers"), ("raw",), ("g++",))]


@pytest.mark.parametrize("size", SIZES)
def test_a_size_is_asked_for_by_name(asked, tmp_path, size):
    cli.main(["run", "--output", str(tmp_path), "--size", size])
    assert [request.size for request in asked] == [size]


def test_a_size_that_does_not_exist_is_one_line(tmp_path, capsys):
    told = fault(capsys, "run", "--output", tmp_path, "--size", "larger")
    assert told == "there is no size called larger. Did you mean large? Known: small, usual, large, huge"


def test_the_largest_sizes_of_a_program_are_listed(capsys):
    cli.main(["list"])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  live-tree ")]
    assert "usual 100,000 nodes, alone 4,000,000 nodes" in line


def test_every_workload_and_strategy_is_listed_in_a_line(capsys):
    assert cli.main(["list"]) == 0
    named = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert named == [*WORKLOADS, *(each.name for each in catalogue.read() if not each.status)]


def test_what_a_run_can_be_told_fits_a_screen(capsys):
    cli.main(["run", "--help"])
    assert len(capsys.readouterr().out.splitlines()) < 24


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("run --only operations --strategy monotonic_resource", "none of monotonic_resource takes part in operations"),
        ("run --quick --size huge", "--quick ends within 3 minutes, and --size huge takes an hour or more: drop one"),
    ],
)
def test_a_run_that_contradicts_itself_begins_nothing(tmp_path, capsys, arguments, fault):
    assert cli.main([*arguments.split(), "--output", str(tmp_path)]) == 2
    assert fault in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["--help", "list"])
def test_a_reader_that_has_read_enough_ends_a_command_quietly(command):
    read, write = os.pipe()
    os.close(read)
    whole = [sys.executable, "-m", "freehold_lab", *command.split()]
    environment = os.environ | {"PYTHONPATH": str(folders.ROOT / "lab")}
    done = subprocess.run(whole, stdout=write, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(write)
    assert (done.returncode, done.stderr) == (128 + 13, "")
