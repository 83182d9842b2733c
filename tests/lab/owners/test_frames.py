"""An owner on a stack is told with its thread and its frame: a function, or without symbols a place in the program."""

import re
import shutil
import subprocess

import pytest

import truth
from freehold_lab.owners import analysis
from freehold_lab.owners.answers import building
from freehold_lab.owners.image import core, live

IN_FUNCTION = {"Session": r"serve\(int&\)\+0x[0-9a-f]+ of frames-\w+", "Job": r"work\(\)\+0x[0-9a-f]+ of frames-\w+"}
IN_PROGRAM = dict.fromkeys(IN_FUNCTION, r"frames-\w+\+0x[0-9a-f]+")
NAME = {"Session": r" \(frames-\w+\)", "Job": r" \(worker\)"}
BUILDS = {
    "-O0": IN_FUNCTION,
    "-O2": IN_FUNCTION,
    "-O2 -fno-omit-frame-pointer": IN_FUNCTION,
    "-O2 -s": IN_PROGRAM,
    "-O2 -s -no-pie": IN_PROGRAM,
}


@pytest.fixture(scope="module", params=BUILDS)
def program(request, common_folder):
    return truth.build(
        "frames.cpp", "g++", (*request.param.split(), "-pthread"), common_folder / "owners"
    ), request.param


def stacks(image, who):
    [asked] = building.build(analysis.analyze(image), who).asked
    return [each.where for each in asked.handles if each.where.startswith("stack")]


@pytest.mark.parametrize("who", IN_FUNCTION)
def test_a_stack_in_a_process(program, who):
    path, build = program
    with truth.ready(path) as pid:
        found = stacks(live.read(pid), who)
    assert len(found) == 1
    assert re.fullmatch(rf"stack of thread \d+{NAME[who]}, in {BUILDS[build][who]}", found[0])


@pytest.mark.parametrize("who", IN_FUNCTION)
def test_a_stack_in_a_core(program, who, tmp_path):
    path, build = program
    if shutil.which("gcore") is None:
        pytest.skip("gcore is missing")
    with truth.ready(path) as pid:
        subprocess.run(["gcore", "-o", tmp_path / "core", str(pid)], capture_output=True, check=True)
        found = stacks(core.read(tmp_path / f"core.{pid}"), who)
    assert len(found) == 1
    assert re.fullmatch(rf"stack of thread \d+, in {BUILDS[build][who]}", found[0])
