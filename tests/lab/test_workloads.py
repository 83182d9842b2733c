"""The registry of workloads, and what is generated from it: a program is its sources and an entry."""

import subprocess
import sys

import pytest

from freehold_lab import catalogue, folders
from freehold_lab.workloads import ALL, PROGRAMS, REFERENCES, SCALES, sizes

NEW_PROGRAM = """
[workloads.two-words]
kind = "program"
title = "Two words"
size = "{:,}"
sizes = { small = [3], usual = [5, 7] }
families = ["pointers"]
"""


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """Returns the text of a generated file, of the registry as it is with more entries."""

    def read(name, more=""):
        folder = tmp_path_factory.mktemp("programs")
        registry = folder / "workloads.toml"
        registry.write_text(folders.WORKLOADS.read_text() + more)
        subprocess.run([sys.executable, folders.PROBES / "programs.py", registry, folder], check=True)
        return (folder / name).read_text()

    return read


def sources_of(program):
    return folders.PROBES / "workloads" / "pointers" / program.replace("-", "_")


def test_what_a_workload_names_exists():
    names = {entry.name for entry in catalogue.read()}
    for workload in ALL.values():
        assert set(workload.strategies) <= names
        assert REFERENCES[workload.name] in names
        assert set(workload.sizes) <= set(SCALES)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_has_its_sources(program):
    subject = ALL[program]
    assert subject.about and subject.size and {"small", "usual"} <= set(subject.sizes)
    assert (sources_of(program) / "plot.hpp").exists()
    peers = {"ocaml": f"ocaml/{sources_of(program).name}.ml", "java_serial": f"java/{camel(program)}.java"}
    for entry in catalogue.read():
        if entry.takes_part([program]) and entry.name in peers:
            assert (folders.PROBES / "peers" / peers[entry.name]).exists()


def camel(name):
    return "".join(part.capitalize() for part in name.split("-"))


@pytest.mark.parametrize("form", ["owned", "traced", "uncounted"])
def test_a_probe_has_every_program_of_its_form(generated, form):
    text = generated(f"{form}.hpp")
    for program in PROGRAMS:
        there = (sources_of(program) / f"{form}.hpp").exists()
        assert (f'push_back({{"{program}", ' in text) == there


@pytest.mark.parametrize("file", ["owned.hpp", "ocaml.hpp", "Programs.java"])
def test_a_program_without_sources_in_a_language_is_left_out(generated, file):
    assert generated(file) == generated(file, NEW_PROGRAM)


def test_every_language_has_the_sizes(generated):
    assert "lab::two_words { inline constexpr extent extents[] = {{3, 1}, {5, 30000}, {7, 30000}}; }" in generated(
        "extents.hpp", NEW_PROGRAM
    )
    assert "TWO_WORDS = List.of(new Workload.Extent(3, 1), new Workload.Extent(5, 30000), " in generated(
        "Extents.java", NEW_PROGRAM
    )
    assert "pub const SIZES: &[usize] = &[6, 8, 9, 10, 11];" in generated("programs.rs")


def test_sizes_are_told_in_words():
    assert sizes("huge") == "queens n = 11"
    assert "live-tree 4,000,000 nodes" in sizes("alone")
