"""The probe of SGCL, where FREEHOLD_SGCL names a source tree of it."""

import subprocess

import pytest

from freehold_lab import build, catalogue, folders
from freehold_lab.measure import probe as asking
from freehold_lab.model import Cell, State
from freehold_lab.setup import by_hand, environment
from test_models import FOUND
from test_timing import nodes_of_trees

COMPILER = environment.compilers()[0]
(SGCL,) = (entry for entry in catalogue.read() if entry.name == "sgcl")


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    if not SGCL.is_here([COMPILER]):
        pytest.skip(SGCL.strategy([COMPILER]).note)
    folder = tmp_path_factory.mktemp("sgcl")
    options = [f"-DCMAKE_CXX_COMPILER={COMPILER.path}", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"]
    options += build.strategy_options([SGCL])
    configure = ["cmake", "-G", "Ninja", "-S", folders.PROBES, "-B", folder, *options]
    for command in (configure, ["cmake", "--build", folder, "--target", "probe_sgcl"]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "probe_sgcl"


def test_it_says_which_commit_it_was_built_from(probe):
    assert asking.identify(probe).library == f"SGCL {by_hand.sgcl().version}"


@pytest.mark.parametrize(
    ("workload", "checksum"),
    [("binary-trees", nodes_of_trees(8)), *((each, FOUND[each]) for each in ("subtrees", "document-tree"))],
)
def test_it_does_the_same_work_as_the_others(probe, workload, checksum):
    cell = Cell(workload=workload, compiler=COMPILER.name, strategy="sgcl", state=State.THREADED)
    assert int(asking.launch(probe, cell, scale=1000, round_number=1).checksum) == checksum


def test_its_memory_is_measured_by_a_process_that_has_its_threads(probe):
    weighed = asking.peaks(probe, ["live-tree"], COMPILER.name, "sgcl", 30_000)
    assert {(each.series, each.x) for each in weighed} == {
        (s, x) for s in ("allocate", "store") for x in (10_000, 100_000)
    }
    assert all(each.peak > 0 and each.collections is None for each in weighed)
