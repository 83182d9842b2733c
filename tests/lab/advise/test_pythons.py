"""CPython: what PYTHONMALLOC changes is shown, and is in no gain."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_advice import a_summary

from freehold_lab.advise import command, judging, pythons, work
from freehold_lab.advise.answers import bound
from freehold_lab.advise.replay import counting
from freehold_lab.advise.replay.replaying import Allocator, Memory, Replayed

LAB = Path(command.__file__).parents[2]

ECHO = ["sh", "-c", 'printf %s "$PYTHONMALLOC"']


@pytest.fixture
def shown(monkeypatch):
    monkeypatch.setenv("PYTHONMALLOC", "malloc")


def test_a_program_as_it_is_has_the_usual_allocator(shown):
    assert counting.answer(ECHO)[1] == b""


def test_a_changed_program_has_what_was_recorded(shown):
    assert counting.answer(ECHO, settings=pythons.settings())[1] == b"malloc"


def test_python_is_told_how_to_show_its_blocks():
    summary = a_summary(modules=["/usr/bin/python3.11", "/lib/libc.so.6"])
    assert "PYTHONMALLOC=malloc ./freehold advise" in pythons.note(summary)


def test_python_that_shows_its_blocks_is_compared_with_the_plain_run(shown):
    assert "against the run without it" in pythons.note(a_summary(modules=["/usr/lib/libpython3.11.so.1.0"]))


def test_other_programs_need_no_word(shown):
    assert pythons.note(a_summary()) == ""


def test_what_the_variable_adds_is_no_gain(shown, monkeypatch, tmp_path):
    """The calls take 80 of the 150 instructions that are recorded, and the plain run 100: without any, 70 are left."""
    monkeypatch.setattr(counting, "instructions", lambda *_, **given: 150)
    monkeypatch.setattr(counting, "usage", lambda *_, **given: usage(peak=7000))
    here = work.Work(work.Request(("python3",)), tmp_path, None)
    usual = Replayed(Allocator("usual", ""), 80, Memory(5000, 4000, 10))
    found = judging._against_plain(here, usual, bound.Program(100, usage(peak=6000)), pythons.settings())
    assert (found.instructions, found.memory) == (30, Memory(4000, 3000, 0))


def usage(peak):
    return counting.Usage(status=0, seconds=1.0, cpu=1.0, system=0.0, faults=0, peak=peak)


@pytest.mark.long
def test_a_script_is_advised_on(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print(len({str(i): [i] for i in range(10000)}))\n")
    python = os.path.realpath(sys.executable)
    environment = {"PYTHONPATH": str(LAB), "PATH": "/usr/bin:/bin", "PYTHONMALLOC": "malloc", "PYTHONHASHSEED": "0"}
    whole = [sys.executable, "-m", "freehold_lab", "advise", "--rerun", "--", python, script]
    done = subprocess.run(whole, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    assert "against the run without it" in " ".join(done.stdout.split())
    assert "of the instructions" in done.stdout
