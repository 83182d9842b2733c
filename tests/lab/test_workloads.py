"""The registry of workloads, and what is generated from it: a workload is its sources and an entry."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from freehold_lab import catalogue, folders
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import sections
from freehold_lab.workloads import ALL, PROGRAMS, REFERENCES, SCALES, TIMED, WORKLOADS
from synthetic import MEMORY_TRUTHS, make_result

NEW_PROGRAM = """
[workloads.two-words]
kind = "program"
title = "Two words"
size = "{:,}"
sizes = { small = [3], usual = [5, 7] }
families = ["pointers", "peers"]
"""
NEW_POINTER = """
[workloads.two-turns]
kind = "pointer"
title = "Two turns"
per = "turn"
families = ["pointers", "peers"]
"""
NEW_MEMORY = """
[workloads.two-steps]
kind = "memory"
title = "Two steps"
per = "step"
families = ["allocators"]
"""
NEW_TIMELINE = """
[workloads.two-days]
kind = "timeline"
title = "Two days"
families = ["allocators"]
"""
# Where the header of a made-up workload is, its entry, and a strategy that takes part.
MADE_UP = {
    "two-words": ("pointers/two_words/owned.hpp", NEW_PROGRAM, "peers/std_shared_ptr"),
    "two-turns": ("pointers/two_turns.hpp", NEW_POINTER, "peers/std_shared_ptr"),
    "two-steps": ("memory/two_steps.hpp", NEW_MEMORY, "allocators/new_delete"),
    "two-days": ("memory/two_days.hpp", NEW_TIMELINE, "allocators/new_delete"),
}
HEADER = """
#pragma once
#include "harness/workload.hpp"
#include "workloads/keep.hpp"

namespace lab::NAME {

inline constexpr int one[] = {1};

inline void work(int x, long iterations) {
    for (; iterations > 0; --iterations) {
        keep(x);
    }
}

template <class Strategy>
struct of {
    static constexpr series plot[] = {{.name = "work", .sizes = one, .work = work}};
    static std::uint64_t checksum() { return 12; }
};

}  // namespace lab::NAME
"""
# Prints the help of a run, then the workloads that are planned and those that are reported.
SEEN = """
import json
from freehold_lab import catalogue, cli, plan, workloads
from freehold_lab.report import figures, tables
from synthetic import MEMORY_TRUTHS, TRUTHS, make_result

cli.main(["list"])
strategies = tuple(each.strategy([]) for each in catalogue.read() if each.name in ("std_shared_ptr", "new_delete"))
planned = plan.Plan(workloads.WORKLOADS, ("g++",), strategies, True, plan.QUICK)
measured = [*(each.workload for each in planned.subjects()), *(workload for workload, *_ in planned.timelines())]
reported = tables.sections(figures.Figures(make_result(TRUTHS + MEMORY_TRUTHS, rounds=3)))
print()
print(json.dumps([measured, [each.workload for each in reported if each.tables]]))
"""


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """Returns the text of a generated file, of the registry as it is with more entries."""

    def read(name, more=""):
        folder = tmp_path_factory.mktemp("programs")
        registry = folder / "workloads.toml"
        registry.write_text(folders.WORKLOADS.read_text() + more)
        subprocess.run([sys.executable, folders.PROBES / "lists.py", registry, folders.STRATEGIES, folder], check=True)
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


def test_what_is_timed_says_what_its_x_is():
    for workload in map(ALL.get, TIMED):
        assert workload.x.endswith("s")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_has_its_sources(program):
    subject = ALL[program]
    assert subject.about and subject.size and {"small", "usual"} <= set(subject.sizes)
    assert (sources_of(program) / "plot.hpp").exists()
    name = sources_of(program).name
    peers = {"ocaml": f"ocaml/{name}.ml", "java_serial": f"java/{camel(program)}.java", "go": f"go/{name}.go"}
    for entry in catalogue.read():
        if entry.takes_part([program]) and entry.name in peers:
            assert (folders.PROBES / "peers" / peers[entry.name]).exists()


def camel(name):
    return "".join(part.capitalize() for part in name.split("-"))


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    """A copy of the laboratory in which each made-up workload is a header and an entry."""
    root = tmp_path_factory.mktemp("laboratory")
    shutil.copytree(folders.ROOT / "lab", root / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "include").symlink_to(folders.ROOT / "include")
    for name, (header, entry, _) in MADE_UP.items():
        path = root / "lab" / "probes" / "workloads" / header
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEADER.replace("NAME", name.replace("-", "_")))
        with (root / "lab" / "workloads.toml").open("a") as registry:
            registry.write(entry)
    return root


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_workload_is_offered_planned_and_reported(laboratory):
    path = os.pathsep.join([str(laboratory / "lab"), str(Path(__file__).parent)])
    shown, told = run(sys.executable, "-c", SEEN, env=os.environ | {"PYTHONPATH": path}).rsplit("\n\n", 1)
    planned, reported = json.loads(told)
    assert MADE_UP.keys() <= set(planned) & set(reported)
    assert all(name in "".join(shown.split()) for name in MADE_UP)


def test_a_new_workload_is_in_the_probes(laboratory):
    strategies = {strategy for *_, strategy in MADE_UP.values()}
    options = [f"-DFREEHOLD_LAB_STRATEGIES={';'.join(strategies)}", "-DFREEHOLD_LAB_ONLY_WHOLE=OFF"]
    probes, build = laboratory / "lab" / "probes", laboratory / "build"
    run("cmake", "-G", "Ninja", "-S", probes, "-B", build, "-DCMAKE_CXX_FLAGS_RELEASE=-O0", *options)
    run("cmake", "--build", build)
    for name, (*_, strategy) in MADE_UP.items():
        measured = json.loads(run(build / f"probe_{Path(strategy).name}", "time", name))
        assert measured["checksum"] == "12" and measured["points"]


def test_every_workload_has_a_section():
    found = [*sections(Figures(make_result(rounds=3))), *sections(Figures(make_result(MEMORY_TRUTHS, rounds=3)))]
    assert {section.workload for section in found if section.tables} == set(WORKLOADS)


@pytest.mark.parametrize(
    ("form", "files"), [("owned", ["owned", "owned_only_whole"]), ("traced", ["traced"]), ("uncounted", ["uncounted"])]
)
def test_a_probe_has_every_program_of_its_form(generated, form, files):
    text = "".join(generated(f"{file}.hpp") for file in files)
    for program in PROGRAMS:
        there = (sources_of(program) / f"{form}.hpp").exists()
        assert (f'push_back({{"{program}", ' in text) == there


@pytest.mark.parametrize("file", ["owned.hpp", "ocaml.hpp", "Programs.java", "registry.go"])
def test_a_program_without_sources_in_a_language_is_left_out(generated, file):
    assert generated(file) == generated(file, NEW_PROGRAM)


def test_what_is_not_asked_for_the_size_of_its_code_is_not_compiled_for_it(generated):
    without = generated("strategies.cmake").split()
    entries = catalogue.read()
    assert {"atomic_shared_ptr", "std_atomic_shared_ptr"} <= set(without)
    assert not {entry.name for entry in entries if entry.takes_part(["code-size"])} & set(without)


def test_a_probe_in_cpp_has_the_workloads_of_its_strategy(generated):
    taking_part = re.search(r'string_view\("([^"]*)"\).* && requires { typename operations::', generated("owned.hpp"))
    assert taking_part[1].split() == [each.name for each in catalogue.read() if each.takes_part(["operations"])]


def test_a_probe_in_rust_has_the_workloads_of_its_strategy(generated):
    assert "    #[cfg(any(rust_arc))]\n    actors::WORKLOAD," in generated("workloads.rs")
    assert "    #[cfg(any(rust_arc, rust_rc))]\n    binary_trees::WORKLOAD," in generated("workloads.rs")
    assert "    #[cfg(any(rust_bacon_rajan))]\n    document_tree::WORKLOAD," in generated("workloads.rs")
    assert "    #[cfg(any(rust_crossbeam_epoch))]\n    stack::WORKLOAD," in generated("workloads.rs")


def test_every_language_has_the_sizes(generated):
    assert "lab::two_words { inline constexpr extent extents[] = {{3, 1}, {5, 30000}, {7, 30000}}; }" in generated(
        "extents.hpp", NEW_PROGRAM
    )
    assert "TWO_WORDS = List.of(new Workload.Extent(3, 1), new Workload.Extent(5, 30000), " in generated(
        "Extents.java", NEW_PROGRAM
    )
    assert "pub const SIZES: &[usize] = &[6, 8, 9, 10, 11];" in generated("workloads.rs")
