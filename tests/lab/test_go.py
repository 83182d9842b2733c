"""The probe in Go, which only a whole run has: built alone, where there is a Go that is new enough."""

import os
import subprocess

import pytest

from freehold_lab import build, catalogue, folders
from freehold_lab.errors import LabError
from freehold_lab.measure import probe as asking
from freehold_lab.model import Cell, State
from freehold_lab.setup import environment
from test_models import ANSWERED, FOUND, REPLACED
from test_timing import nodes_of_trees, rewired_graph, sum_of_gcbench

(GO,) = (entry for entry in catalogue.read() if entry.name == "go")


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    if not GO.is_here([]):
        pytest.skip(GO.strategy(environment.compilers()[:1]).note)
    folder = tmp_path_factory.mktemp("go")
    compiler = f"-DCMAKE_CXX_COMPILER={environment.compilers()[0].path}"
    configure = ["cmake", "-G", "Ninja", "-S", folders.PROBES, "-B", folder, compiler, *build.strategy_options([GO])]
    # What the user has set for other programs changes nothing.
    others = os.environ | {"GOFLAGS": "-mod=vendor", "GOOS": "plan9"}
    for command in (configure, ["cmake", "--build", folder, "--target", "go_probe_go"]):
        done = subprocess.run(command, capture_output=True, text=True, env=others)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "probe_go"


def launch(probe, workload, state=State.THREADED):
    cell = Cell(workload=workload, compiler="g++-12", strategy="go", state=state)
    return asking.launch(probe, cell, scale=1000, round_number=1)


def test_it_says_which_go_it_was_built_with(probe):
    identity = asking.identify(probe)
    version = identity.compiler.removeprefix("go ")
    assert identity.strategy == "go" and identity.library == f"Go {version}"
    assert version in subprocess.run(["go", "version"], capture_output=True, text=True).stdout


def test_a_collector_that_is_tuned_does_not_pass_for_it(probe, monkeypatch):
    monkeypatch.setenv("GOGC", "400")
    with pytest.raises(LabError, match="GOGC is 400, not 100"):
        asking.identify(probe)


@pytest.mark.parametrize(
    ("workload", "checksum"),
    [
        ("binary-trees", nodes_of_trees(8)),
        ("rings", 4 * sum(range(0, 10_000, 10)) + 7 * sum(range(10_000))),
        ("gcbench", sum_of_gcbench(6)),
        ("graph", rewired_graph(1000)),
        *((each, FOUND[each]) for each in ("subtrees", "document-tree", "cache")),
        *(ANSWERED | REPLACED).items(),
    ],
)
def test_it_does_the_same_work_as_the_others(probe, workload, checksum):
    assert int(launch(probe, workload).checksum) == checksum


def test_it_has_more_than_one_thread(probe):
    with pytest.raises(LabError, match="always has more than one thread"):
        launch(probe, "graph", State.ALONE)


def test_a_program_that_it_does_not_have_is_named(probe):
    with pytest.raises(LabError, match='there is no workload "queens"'):
        launch(probe, "queens")


def test_single_operations_and_hundreds_are_told(probe):
    told = {each.series: each.nanoseconds for each in launch(probe, "document-tree").points}
    for parents in ("parents owned", "parents observed"):
        ones, hundreds = (
            [told.pop(f"{parents}, {group}, {figure}") for figure in ("p50", "p99", "p99.9", "max")]
            for group in ("one", "hundred")
        )
        assert ones[0] > 0 and ones == sorted(ones) and hundreds == sorted(hundreds) and ones[0] < hundreds[0]
        assert told.pop(parents) > 0
    assert not told


def test_its_memory_and_its_pauses_are_measured(probe):
    weighed = asking.peaks(probe, ["binary-trees", "live-tree"], "g++-12", "go", 30_000)
    assert {(each.series, each.x) for each in weighed if each.workload == "live-tree"} == {
        (s, x) for s in ("allocate", "store") for x in (10_000, 100_000)
    }
    assert any(each.collections for each in weighed)
    for each in weighed:
        assert each.peak >= each.left > 0
        assert (each.longest_pause is None) == (each.collections == 0)
