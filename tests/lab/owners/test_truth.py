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
LEAST_RECALL = (0.75, 0.65)  # of graphs: in what was freed and is used again, handles are left that may own
LEAST_RECALL_WITH_TYPES = 0.98  # where debug information says which handles are left
FIRST = truth.BUILDS[0]
OTHERS = [pytest.param(each, marks=pytest.mark.long, id=each.name) for each in truth.BUILDS[1:]]
LIBRARIES = [truth.LIBSTDCXX[1], truth.LIBCXX[1]]
STOPS = 60
LEAST_RECALL_IN_SLABS = 0.4  # of graphs with Freehold's malloc: what was freed is used again more often
LEAST_RECALL_IN_SLABS_WITH_TYPES = 0.85
LEAST_RIGHT_IN_SLABS = 0.9
LEAST_SURE = 0.9  # of the stops: a thread may be about to change malloc's chunks
MOST_READS = 60  # of a program that runs; about two in three show no leak
needs_gdb = pytest.mark.skipif(not shutil.which("gdb"), reason="there is no gdb")
WITH_TYPES = truth.WITH_DEBUG_INFORMATION
GRAPHS = [
    *(pytest.param(each, least, id=each.name) for each, least in zip(LIBRARIES, LEAST_RECALL, strict=True)),
    *(pytest.param(each, LEAST_RECALL_WITH_TYPES, id=each.name, marks=needs_gdb) for each in WITH_TYPES),
]
GRAPHS_IN_SLABS = [
    *(pytest.param(each, LEAST_RECALL_IN_SLABS, id=each.name) for each in LIBRARIES),
    *(pytest.param(each, LEAST_RECALL_IN_SLABS_WITH_TYPES, id=each.name, marks=needs_gdb) for each in WITH_TYPES),
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


@pytest.fixture(scope="module")
def malloc(common_folder):
    return truth.malloc(common_folder / "owners")


def compared(path, *arguments, fate="leaks", preload=""):
    with truth.running(path, *arguments, fate=fate, preload=preload) as running:
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


def recall(path, fate, seeds, preload=""):
    """Returns the share of leaks that are found in graphs, of which none may be false."""
    leaks = missed = 0
    for seed in range(seeds):
        found = compared(path, str(seed), "2000", str(15 * (1 + seed % 2)), fate=fate, preload=preload)
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


@pytest.mark.full
@pytest.mark.parametrize("fate", ["leaks", "held", "cut"])
def test_every_kind_is_graded_with_freeholds_malloc(program, malloc, fate):
    found = compared(program("truth.cpp", LIBRARIES[0]), fate=fate, preload=malloc)
    assert found.false_leaks == [], str(found)
    assert found.right >= LEAST_RIGHT_IN_SLABS * len(found.blocks), str(found)


@pytest.mark.full
@pytest.mark.parametrize("fate", ["leaks", "held"])
def test_a_graph_with_freeholds_malloc_is_graded(program, malloc, fate):
    assert recall(program("graphs.cpp", LIBRARIES[0]), fate, 3, malloc) >= LEAST_RECALL_IN_SLABS


@needs_gdb
@pytest.mark.full
def test_a_graph_with_freeholds_malloc_and_debug_information_is_graded(program, malloc):
    assert recall(program("graphs.cpp", WITH_TYPES[0]), "leaks", 2, malloc) >= LEAST_RECALL_IN_SLABS_WITH_TYPES


@pytest.mark.long
@pytest.mark.parametrize(("build", "least"), GRAPHS_IN_SLABS)
@pytest.mark.parametrize("fate", ["leaks", "held", "cut"])
def test_graphs_with_freeholds_malloc_are_graded(program, malloc, build, least, fate):
    assert recall(program("graphs.cpp", build), fate, 20, malloc) >= least


@pytest.mark.long
@pytest.mark.parametrize("build", LIBRARIES, ids=lambda each: each.name)
def test_nothing_leaks_while_threads_churn(program, build):
    expect_no_leak(program("churn.cpp", build), STOPS)


@pytest.mark.full
def test_nothing_leaks_while_threads_churn_with_freeholds_malloc(program, malloc):
    expect_no_leak(program("churn.cpp", LIBRARIES[0]), 3, malloc)


@pytest.mark.long
def test_nothing_leaks_while_threads_churn_with_freeholds_malloc_for_long(program, malloc):
    expect_no_leak(program("churn.cpp", LIBRARIES[0]), STOPS, malloc)


def expect_no_leak(path, stops, preload=""):
    sure = 0
    with truth.running(path, preload=preload) as running:
        for _ in range(stops):
            found = analysis.analyze(live.read(running.pid))
            told = truth.compare(running.truth, named(found))
            assert told.false_leaks == [], str(told)
            sure += found.doubts == []
    assert sure >= LEAST_SURE * stops


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
