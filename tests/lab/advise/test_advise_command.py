"""`./freehold advise`: what is run, and what is said."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from freehold_lab.advise import command, work
from freehold_lab.errors import LabError

COMMAND = [sys.executable, "-m", "freehold_lab", "advise"]
LAB = Path(command.__file__).parents[2]


@pytest.fixture
def advise(cases):
    def run(*arguments, options=(), given=""):
        whole = [*COMMAND, *options, "--", cases, *map(str, arguments)]
        return subprocess.run(
            whole, input=given, capture_output=True, text=True, env={"PYTHONPATH": str(LAB), "PATH": "/usr/bin:/bin"}
        )

    return run


def test_it_ends_as_the_program_does(advise):
    assert advise("exit", 3).returncode == 3


def test_what_ends_the_command_ends_the_program(cases, tmp_path):
    environment = {"PYTHONPATH": str(LAB), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(
        [*COMMAND, "--", cases, "wait"], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout.readline() == "waiting\n"
        process.terminate()
        rest = process.stdout.read()
    assert process.returncode == 128 + 15
    assert "The program was ended by signal 15." in rest
    assert "take < pairs < main" in rest


def test_a_reader_that_has_read_enough_ends_it_quietly(cases):
    read, write = os.pipe()
    os.close(read)
    whole = [*COMMAND, "--", cases, "pairs", "1000"]
    environment = {"PYTHONPATH": str(LAB), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(whole, stdout=write, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(write)
    assert (done.returncode, done.stderr) == (128 + 13, "")


def test_sites_are_told_without_running_again(advise):
    done = advise("pairs", 1000)
    assert "take < pairs < main" in done.stdout
    assert "--rerun" in done.stdout
    assert "Predicted" not in done.stdout


def test_a_loop_of_numbers_should_change_nothing(advise):
    done = advise("loop", 3_000_000, options=["--rerun"])
    assert "Change nothing: all allocation is 0." in done.stdout
    assert "Predicted" not in done.stdout


def test_an_arena_is_advised_for_batches(advise):
    done = advise("batches", 200, 300, options=["--rerun"])
    assert "a freehold::monotonic_resource for what" in done.stdout
    assert "60,000 blocks in 200 batches" in done.stdout


def test_threads_are_not_predicted(advise):
    done = advise("threads", 2, 1000, options=["--rerun"])
    assert "Nothing is predicted for several threads" in done.stdout


def test_threads_are_timed_with_each_allocator_if_asked(advise):
    done = advise("threads", 2, 1000, options=["--rerun", "--time"])
    assert re.search(r"^Measured with +time of 15 runs +peak memory$", done.stdout, re.MULTILINE)
    assert re.search(r"^Freehold +(not distinguishable|[+−].*%)  ", done.stdout, re.MULTILINE)


def test_every_run_is_given_the_same(advise):
    done = advise("read", options=["--rerun"], given="abc")
    assert "allocation is" in done.stdout
    assert "300" in done.stdout


def test_a_file_that_is_no_page_is_left_as_it_is(tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("mine")
    with pytest.raises(LabError, match="is left as it is"):
        command.run(work.Request(("true",), output=mine))


def test_a_program_that_is_not_there_is_one_line():
    with pytest.raises(LabError, match="cannot run /nowhere: No such file"):
        command.run(work.Request(("/nowhere",)))


def test_without_a_program_it_says_what_it_needs():
    with pytest.raises(LabError, match="advise needs a program"):
        command.run(work.Request(()))


@pytest.mark.parametrize(("answer", "told"), [(b"y\n", b"Change nothing"), (b"n\n", b"--rerun also says")])
def test_a_terminal_is_asked_before_the_program_runs_again(cases, answer, told):
    ours, theirs = os.openpty()
    whole = [*COMMAND, "--", cases, "loop", "1000000"]
    process = subprocess.Popen(whole, cwd=LAB, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, answer)
    text = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while more := os.read(ours, 4096):
            text += more
    assert process.wait() == 0
    assert b"Run it twice more" in text
    assert told in text


def test_a_program_that_allocates_nothing_is_told_so(tmp_path):
    source = tmp_path / "nothing.c"
    source.write_text("int main(void) { return 3; }")
    subprocess.run(["gcc", source, "-o", tmp_path / "nothing"], check=True)
    whole = [*COMMAND, "--rerun", "--", tmp_path / "nothing"]
    environment = {"PYTHONPATH": str(LAB), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(whole, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    assert done.returncode == 3
    assert done.stdout.endswith("allocates nothing. Change nothing.\n")


def test_a_program_may_have_any_name(cases, tmp_path):
    named = tmp_path / "é ü"
    shutil.copy(cases, named)
    environment = {"PYTHONPATH": str(LAB), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([*COMMAND, "--", named, "pairs", "100"], capture_output=True, text=True, env=environment)
    assert "take < pairs" in done.stdout


@pytest.mark.parametrize(
    "options", [["--copies", "--rerun"], ["--confirm", "x", "--output", "y"], ["--promised=1%:2%"]]
)
def test_what_would_not_be_done_is_refused(advise, options):
    done = advise("exit", 0, options=options)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
