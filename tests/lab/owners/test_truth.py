"""What an analysis says of programs that know what leaks in them: nothing false, and hardly a leak is missed."""

import shutil
from contextlib import contextmanager

import numpy as np
import pytest

import truth
from freehold_lab.owners import analysis
from freehold_lab.owners.graph.reach import Grade
from freehold_lab.owners.image import core, live, stopping

LEAST_RIGHT = 0.992  # of libc++; elsewhere all but what chance holds
LEAST_RECALL = 0.6  # of graphs: in what was freed and is used again, handles are left that may own
LEAST_RECALL_WITH_TYPES = 0.98  # where debug information says which handles are left
FIRST = truth.BUILDS[0]
OTHERS = [pytest.param(each, marks=pytest.mark.long, id=each.name) for each in truth.BUILDS[1:]]
LIBRARIES = [truth.LIBSTDCXX[1], truth.LIBCXX[1]]
STOPS = 60
LEAST_SURE = 0.9  # of the stops: a thread may be about to change malloc's chunks
MOST_READS = 60  # of a program that runs; about two in three show no leak
needs_gdb = pytest.mark.skipif(not shutil.which("gdb"), reason="there is no gdb")
WITH_TYPES = truth.WITH_DEBUG_INFORMATION
GRAPHS = [
    *(pytest.param(each, LEAST_RECALL, id=each.name) for each in LIBRARIES),
    *(pytest.param(each, LEAST_RECALL_WITH_TYPES, id=each.name, marks=needs_gdb) for each in WITH_TYPES),
]
KINDS = [pytest.param(FIRST, id=FIRST.name), pytest.param(WITH_TYPES[0], id=WITH_TYPES[0].name, marks=needs_gdb)]


@pytest.fixture(scope="module")
def program(common_folder):
    return lambda source, build: truth.build(source, build.compiler, build.options, common_folder / "owners")


def grades(image):
    found = analysis.analyze(image)
    assert found is not None
    assert found.doubts == []
    return named(found)


def named(found):
    """Returns the grades by the addresses of blocks."""
    names = {grade: grade.name.lower().replace("_", "-") for grade in Grade}
    return {
        int(address): names[Grade(grade)] for address, grade in zip(found.blocks.addresses, found.grade, strict=True)
    }


def compared(path, *arguments, fate="leaks"):
    with truth.running(path, *arguments, fate=fate) as running:
        return truth.compare(running.truth, grades(live.read(running.pid)))


@pytest.mark.full
@pytest.mark.parametrize("build", [*KINDS, *OTHERS])
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


def recall(path, fate, seeds):
    """Returns the share of leaks that are found in graphs, of which none may be false."""
    leaks = missed = 0
    for seed in range(seeds):
        found = compared(path, str(seed), "2000", str(15 * (1 + seed % 2)), fate=fate)
        assert found.false_leaks == [], f"seed {seed}: {found}"
        leaks += found.leaks
        missed += len(found.missed_leaks)
    return 1 - missed / leaks if leaks else 1.0


@pytest.mark.long
@pytest.mark.parametrize(("build", "least"), GRAPHS)
@pytest.mark.parametrize("fate", ["leaks", "held", "cut"])
def test_graphs_are_graded(program, build, least, fate):
    assert recall(program("graphs.cpp", build), fate, 20) >= least


@needs_gdb
@pytest.mark.full
def test_a_graph_with_debug_information_is_graded(program):
    assert recall(program("graphs.cpp", WITH_TYPES[0]), "leaks", 2) >= LEAST_RECALL_WITH_TYPES


@pytest.mark.long
@pytest.mark.parametrize("build", LIBRARIES, ids=lambda each: each.name)
def test_nothing_leaks_while_threads_churn(program, build):
    sure = 0
    with truth.running(program("churn.cpp", build)) as running:
        for _ in range(STOPS):
            found = analysis.analyze(live.read(running.pid))
            told = truth.compare(running.truth, named(found))
            assert told.false_leaks == [], str(told)
            sure += found.doubts == []
    assert sure >= LEAST_SURE * STOPS


@pytest.mark.full
def test_a_program_that_is_not_stopped_seems_to_leak(program, monkeypatch):
    """So the test above would see a false leak."""
    stopped = stopping.stopped

    @contextmanager
    def only_touched(process):
        """The process runs again when its registers are known, before its memory is copied."""
        with stopped(process) as halt:
            pass
        yield halt

    monkeypatch.setattr(stopping, "stopped", only_touched)
    with truth.running(program("churn.cpp", FIRST)) as running:
        reads = (analysis.analyze(live.read(running.pid)).grade for _ in range(MOST_READS))
        assert any(not np.isin(each, (Grade.HELD, Grade.EXPIRED)).all() for each in reads)
