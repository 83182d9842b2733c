"""Child processes whose output is kept."""

import sys

from fakes import program
from freehold_lab import process


def test_output_is_captured():
    assert process.capture("cat", text="a line\n") == "a line\n"


def test_a_failing_program_has_no_output():
    assert process.capture(sys.executable, "-c", "print(1); raise SystemExit(3)") is None


def test_a_missing_program_has_no_output():
    assert process.capture("no-such-program") is None


def test_messages_are_not_translated():
    assert process.capture("sh", "-c", "echo $LC_ALL") == "C.UTF-8\n"


def test_both_streams_are_logged_and_heard(tmp_path):
    heard = []
    code = process.log(["sh", "-c", "echo one; echo two >&2; exit 3"], tmp_path / "log", heard.append)
    assert (code, heard, (tmp_path / "log").read_text()) == (3, ["one\n", "two\n"], "one\ntwo\n")


def test_a_log_grows(tmp_path):
    for word in ("one", "two"):
        process.log(["echo", word], tmp_path / "log")
    assert (tmp_path / "log").read_text() == "one\ntwo\n"


def test_a_program_runs_in_its_folder_with_its_variables(tmp_path):
    path = program(tmp_path, "where", "echo $PWD $COLOR")
    process.log([str(path)], tmp_path / "log", folder=tmp_path, COLOR="red")
    assert (tmp_path / "log").read_text() == f"{tmp_path} red\n"
