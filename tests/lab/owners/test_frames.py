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
    options = (*request.param.split(), "-pthread")
    return truth.build("frames.cpp", "g++", options, common_folder / "owners"), request.param


@pytest.fixture(scope="module", params=["process", "core"])
def found(request, program, tmp_path_factory):
    """Gives what an analysis says of the program, where its frames are, and what a thread's name is."""
    path, build = program
    if request.param == "core" and shutil.which("gcore") is None:
        pytest.skip("gcore is missing")
    with truth.ready(path) as pid:
        if request.param == "process":
            return analysis.analyze(live.read(pid)), BUILDS[build], NAME
        file = tmp_path_factory.mktemp("frames") / "core"
        subprocess.run(["gcore", "-o", file, str(pid)], capture_output=True, check=True)
    return analysis.analyze(core.read(file.with_suffix(f".{pid}"))), BUILDS[build], dict.fromkeys(NAME, "")


@pytest.mark.parametrize("who", IN_FUNCTION)
def test_an_owner_on_a_stack_is_told_with_its_frame(found, who):
    of, frames, names = found
    [asked] = building.build(of, who).asked
    [place] = [each.where for each in asked.handles if each.where.startswith("stack")]
    assert re.fullmatch(rf"stack of thread \d+{names[who]}, in {frames[who]}", place)
