"""Small programs whose allocations are known, recorded and followed."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from freehold_lab.advise import building
from freehold_lab.advise.analysis import summary
from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.record import recording

SOURCE = Path(__file__).with_name("cases.cpp")


@pytest.fixture(scope="session")
def cases(tmp_path_factory):
    """The program of cases.cpp."""
    program = tmp_path_factory.mktemp("cases") / "cases"
    options = ["-std=c++20", "-O2", "-g", "-fno-builtin-malloc", "-pthread"]
    subprocess.run(["g++", *options, SOURCE, "-o", program, "-ldl"], check=True)
    return str(program)


@dataclass
class Recorded:
    recording: recording.Recording

    def summary(self, process=None, *replay):
        number = self.recording.busiest if process is None else process
        return summary.read(building.analysis(), self.recording.file, number, *replay)

    def named(self, name, process=None):
        """Returns the sites that the function with this name is the innermost caller of, with the names of callers."""
        found = self.summary(process)
        names = Names(found.modules)
        chains = [(site, [names.function(each) for each in site.callers]) for site in found.sites]
        return [(site, chain) for site, chain in chains if chain[0].startswith(name)]


@pytest.fixture
def record(cases, tmp_path):
    def run(*arguments, program=cases, sampled=0):
        command = [program, *map(str, arguments)]
        return Recorded(recording.record(command, building.recorder(), tmp_path / "recording", sampled=sampled))

    return run


@pytest.fixture(scope="session")
def mixture(cases, tmp_path_factory):
    """Samples of 49 MB that three functions allocate."""
    file = tmp_path_factory.mktemp("mixture") / "recording"
    return Recorded(recording.record([cases, "mixture"], building.recorder(), file, sampled=4096))
