"""The probe in Java, which only a whole run has: built alone, where there is a compiler for it."""

import subprocess

import pytest

from freehold_lab import build, catalogue, folders
from freehold_lab.errors import LabError
from freehold_lab.measure import probe as asking
from freehold_lab.model import Cell, State
from freehold_lab.setup import environment
from test_models import ANSWERED, FOUND
from test_timing import nodes_of_trees, rewired_graph, sum_of_gcbench

(JAVA,) = (entry for entry in catalogue.read() if entry.name == "java_serial")


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    if not JAVA.is_here([]):
        pytest.skip(f"{JAVA.needs} is not installed")
    folder = tmp_path_factory.mktemp("java")
    compiler = f"-DCMAKE_CXX_COMPILER={environment.compilers()[0].path}"
    configure = ["cmake", "-G", "Ninja", "-S", folders.PROBES, "-B", folder, compiler, *build.strategy_options([JAVA])]
    for command in (configure, ["cmake", "--build", folder, "--target", "java_probe_java_serial"]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stdout
    return folder / "probe_java_serial"


def launch(probe, workload, state=State.THREADED):
    cell = Cell(workload=workload, compiler="g++-12", strategy="java_serial", state=state)
    return asking.launch(probe, cell, scale=1000, round_number=1)


def test_it_says_which_collectors_are_at_work(probe):
    identity = asking.identify(probe)
    assert identity.compiler.startswith("javac ") and identity.strategy == "java_serial"
    assert identity.library.startswith("Java ") and identity.library.endswith(", Copy and MarkSweepCompact")


def test_another_collector_does_not_pass_for_it(probe, tmp_path):
    other = tmp_path / "probe_java_serial"
    other.write_bytes(probe.read_bytes().replace(b"-XX:+UseSerialGC", b"-XX:+UseParallelGC", 1))
    other.chmod(0o755)
    with pytest.raises(LabError, match="the collectors are "):
        asking.identify(other)


@pytest.mark.parametrize(
    ("workload", "checksum"),
    [
        ("queens", sum(4 << 12 * style for style in range(5))),
        ("binary-trees", nodes_of_trees(8)),
        ("rings", 4 * sum(range(0, 10_000, 10)) + 7 * sum(range(10_000))),
        ("gcbench", sum_of_gcbench(6)),
        ("graph", rewired_graph(1000)),
        *FOUND.items(),
        *ANSWERED.items(),
    ],
)
def test_it_does_the_same_work_as_the_others(probe, workload, checksum):
    assert int(launch(probe, workload).checksum) == checksum


def test_it_has_more_than_one_thread(probe):
    with pytest.raises(LabError, match="always has more than one thread"):
        launch(probe, "graph", State.ALONE)


def test_its_memory_and_its_pauses_are_measured(probe):
    weighed = asking.peaks(probe, ["live-tree"], "g++-12", "java_serial", 30_000)
    assert {(each.series, each.x) for each in weighed} == {
        (s, x) for s in ("allocate", "store") for x in (10_000, 100_000)
    }
    for each in weighed:
        assert each.peak > 0
        assert (each.longest_pause is None) == (each.collections == 0)
