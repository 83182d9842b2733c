"""What is told of a program whose leaks are known: stripped, with debug information, and of two libraries."""

import shutil
import subprocess
from pathlib import Path

import pytest

import truth
from freehold_lab.errors import LabError
from freehold_lab.owners import analysis
from freehold_lab.owners.answers import building
from freehold_lab.owners.image import live

SOURCE = Path(__file__).parent / "leaks.cpp"
BUILDS = {
    "stripped": "g++ -O2 -s",
    "without type information": "g++ -O2 -fno-rtti -s",
    "debug information": "g++ -O1 -g",
    "libc++": "clang++-19 -stdlib=libc++ -O2 -s",
}


@pytest.fixture(scope="module", params=[*list(BUILDS)[:-1], pytest.param("libc++", marks=pytest.mark.full)])
def found(request, tmp_path_factory):
    command = BUILDS[request.param].split()
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is missing")
    program = tmp_path_factory.mktemp("leaks") / "leaks"
    subprocess.run([*command, "-std=c++20", SOURCE, "-o", program], check=True)
    with truth.ready(program) as pid:
        return request.param, analysis.analyze(live.read(pid))


@pytest.fixture(scope="module")
def report(found):
    return building.build(found[1])


def types(report):
    return {each.name: each for each in report.types}


def test_all_owners_are_found(report):
    assert (report.explained, report.doubts) == (1.0, [])


def test_what_leaks_is_counted(found, report):
    leaked = sum(number for each in report.types for grade, number in each.grades.items() if grade.startswith("leak"))
    assert leaked == 30 + 30 + 20 + 2


def test_expired_objects_are_weighed(found, report):
    if found[0] == "without type information":
        pytest.skip("types have no names")
    assert types(report)["Picture"].grades == {"expired": 10}
    assert types(report)["Picture"].expired_bytes >= 10 * 5000


def test_each_way_to_leak_is_told_once(report):
    assert sorted(each.count for each in report.leaks) == [1, 20, 30]


def test_a_cycle_is_drawn_with_its_types(found, report):
    if found[0] == "without type information":
        pytest.skip("types have no names")
    session = next(each for each in report.leaks if each.count == 30)
    assert [each.type for each in session.cycle] == ["Session", "Timer"]
    assert [each.place.endswith("[]") for each in session.cycle] == [True, False]


def test_debug_information_names_the_members(found, report):
    if found[0] != "debug information" or shutil.which("gdb") is None:
        pytest.skip("there is none")
    told = {step.type + step.place for leak in report.leaks for step in leak.cycle}
    assert {"Session.timers[]", "Timer.of", "Node.next"} <= told


def test_one_object_is_told_with_its_owners_and_the_path_to_it(found):
    name, of = found
    if name == "without type information":
        pytest.skip("types have no names")
    held = [each for each in building.build(of, "Session").asked if each.grade == "held"]
    assert [(each.owners, each.weak, each.unseen) for each in held] == [(1, 1, 0)]
    assert held[0].root.startswith("global leaks+0x")
    assert [each.kind for each in held[0].handles] == ["owner", "weak"]


def test_what_is_not_there_cannot_be_asked_for(found):
    with pytest.raises(LabError, match="no object has a type"):
        building.build(found[1], "Nonsense")
    with pytest.raises(LabError, match="is not in an object"):
        building.build(found[1], "0x10")
