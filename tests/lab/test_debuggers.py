"""`./freehold debugger` prints one line, which goes into a debugger's settings as it is."""

from pathlib import Path

from freehold_lab import cli


def line(capsys, *arguments):
    assert not cli.main(["debugger", *arguments])
    (printed,) = capsys.readouterr().out.splitlines()
    return printed


def test_the_line_for_gdb_names_the_folder_of_the_programs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert line(capsys) == f"add-auto-load-safe-path {tmp_path}"
    assert line(capsys, "programs") == f"add-auto-load-safe-path {tmp_path / 'programs'}"


def test_the_line_for_lldb_names_a_file_that_is_there(capsys):
    command, _, file = line(capsys, "--lldb").rpartition(" ")
    assert command == "command script import" and Path(file).is_file()
