"""What an analysis says of programs that know what leaks in them: nothing false, and hardly a leak is missed."""

import pytest

import truth
from freehold_lab.owners import analysis
from freehold_lab.owners.graph.reach import Grade
from freehold_lab.owners.image import core, live

LEAST_RIGHT = 0.992  # of libc++; elsewhere all but what chance holds
LEAST_RECALL = 0.6  # of graphs: in what was freed and is used again, handles are left that may own
FIRST = truth.BUILDS[0]
OTHERS = [pytest.param(each, marks=pytest.mark.long, id=each.name) for each in truth.BUILDS[1:]]
LIBRARIES = [truth.LIBSTDCXX[1], truth.LIBCXX[1]]
STOPS = 10


@pytest.fixture(scope="module")
def program(common_folder):
    return lambda source, build: truth.build(source, build.compiler, build.options, common_folder / "owners")


def grades(image):
    found = analysis.analyze(image)
    assert found is not None
    assert found.doubts == []
    names = {grade: grade.name.lower().replace("_", "-") for grade in Grade}
    return {
        int(address): names[Grade(grade)] for address, grade in zip(found.blocks.addresses, found.grade, strict=True)
    }


def compared(path, *arguments, fate="leaks"):
    with truth.running(path, *arguments, fate=fate) as running:
        return truth.compare(running.truth, grades(live.read(running.pid)))


@pytest.mark.full
@pytest.mark.parametrize("build", [pytest.param(FIRST, id=FIRST.name), *OTHERS])
@pytest.mark.parametrize("fate", ["leaks", "held", "cut"])
def test_every_kind_is_graded(program, build, fate):
    found = compared(program("truth.cpp", build), fate=fate)
    assert found.false_leaks == [], str(found)
    assert found.right >= LEAST_RIGHT * len(found.blocks), str(found)


@pytest.mark.full
def test_a_core_is_graded(program, tmp_path):
    file, labels = truth.crash(program("truth.cpp", FIRST), tmp_path)
    found = truth.compare(labels, grades(core.read(file)))
    assert found.false_leaks == [], str(found)
    assert found.right >= LEAST_RIGHT * len(found.blocks), str(found)


@pytest.mark.long
@pytest.mark.parametrize("build", LIBRARIES, ids=lambda each: each.name)
@pytest.mark.parametrize("fate", ["leaks", "held", "cut"])
def test_graphs_are_graded(program, build, fate):
    path = program("graphs.cpp", build)
    leaks = missed = 0
    for seed in range(20):
        found = compared(path, str(seed), "2000", str(15 * (1 + seed % 2)), fate=fate)
        assert found.false_leaks == [], f"seed {seed}: {found}"
        leaks += found.leaks
        missed += len(found.missed_leaks)
    assert missed <= (1 - LEAST_RECALL) * leaks


@pytest.mark.long
@pytest.mark.parametrize("build", LIBRARIES, ids=lambda each: each.name)
def test_nothing_leaks_while_threads_churn(program, build):
    with truth.running(program("churn.cpp", build)) as running:
        for _ in range(STOPS):
            found = truth.compare(running.truth, grades(live.read(running.pid)))
            assert found.false_leaks == [], str(found)
