"""Large blocks of Freehold's malloc and operator new: what leaks behind them is found, and nothing else."""

import pytest

import truth
from freehold_lab import folders
from freehold_lab.owners import analysis
from freehold_lab.owners.answers import building
from freehold_lab.owners.image import live

INCLUDE = f"-I{folders.ROOT / 'include'}"
LIBRARIES = {"preloaded": (), "preloaded and hardened": ("-DFREEHOLD_HARDENED",)}
REPLACES = ("-DFREEHOLD_LARGE_REPLACES", INCLUDE)
PROGRAMS = {"linked": (*REPLACES, "-O1", "-s"), "linked statically": (*REPLACES, "-O1", "-s", "-static")}
FULL = [pytest.param(each, marks=pytest.mark.full) for each in (*LIBRARIES, *list(PROGRAMS)[1:])]
LEAKED = {"Node": 150, "Page": 6}


@pytest.fixture(scope="module", params=["linked", *FULL])
def counts(request, common_folder):
    """Gives how many objects of each type have which grade, and the doubts, in a program whose objects leak or not."""
    folder, preload = common_folder / "owners", ""
    if request.param in LIBRARIES:
        preload = truth.malloc(folder, *LIBRARIES[request.param])
    program = truth.build("large.cpp", "g++", PROGRAMS.get(request.param, ("-O1", "-s")), folder)

    def of(fate):
        with truth.ready(program, fate, preload=preload) as pid:
            report = building.build(analysis.analyze(live.read(pid)))
        return {each.name.rsplit("::", 1)[-1]: each.grades for each in report.types}, report.doubts

    return of


def test_what_leaks_is_found(counts):
    found, doubts = counts("leaks")
    grade = "suspected" if doubts else "leaked"
    assert found == {name: {grade: number} for name, number in LEAKED.items()}


def test_of_its_twin_without_leaks_nothing_is(counts):
    found, _ = counts("held")
    assert found == {name: {"held": number} for name, number in LEAKED.items()}
