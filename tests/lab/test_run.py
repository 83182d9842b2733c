"""A run from beginning to end, on stand-ins for the probes: what is kept, gone on with and told."""

import itertools
import json
import os
import subprocess
import time
from dataclasses import replace

import pytest

from fakes import Measuring
from freehold_lab import build, catalogue, cli, folders, run, store
from freehold_lab.errors import LabError
from freehold_lab.measure import session
from freehold_lab.model import Compiler
from freehold_lab.report import html, terminal
from freehold_lab.setup import by_hand, crates, environment
from freehold_lab.workloads import BY_NAME, ONLY_WHOLE, TIMED, TIMED_POINTERS, TIMELINES, WITH_CODE, WITH_PEAKS

COMPILERS = [
    Compiler(name="g++-12", path="/usr/bin/g++-12", version="12.2.0", flags="-O3"),
    Compiler(name="clang++-19", path="/usr/bin/clang++-19", version="19.1.7", flags="-O3"),
]


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A lab that measures three strategies on operations with one compiler unless told otherwise, and draws nothing.
    Its machine has everything, and a program that is started there fails the test."""
    monkeypatch.setattr(subprocess, "Popen", start_nothing)
    monkeypatch.delenv("FREEHOLD_STARTED", raising=False)  # when the tests were started, by ./freehold test
    monkeypatch.setattr(environment, "compilers", lambda: COMPILERS)
    monkeypatch.setattr(environment, "has_program", lambda program: True)
    monkeypatch.setattr(environment, "succeeds", lambda *command: True)
    monkeypatch.setattr(environment, "finds_includes", lambda compiler, header, options: True)
    monkeypatch.setattr(crates, "are_here", lambda: True)
    monkeypatch.setattr(by_hand, "TOOLS", dict.fromkeys(by_hand.TOOLS, by_hand.Tool))
    monkeypatch.setattr(folders, "LAB_BUILD", tmp_path / "lab")
    monkeypatch.setattr(build, "build", pretend_to_build)
    BUILT.clear()
    monkeypatch.setattr("freehold_lab.setup.install.install", lambda *_, **__: None)
    monkeypatch.setattr(html, "warm_up", lambda: None)
    monkeypatch.setattr(terminal, "show", lambda result, console, everything: None)
    monkeypatch.setattr(html, "write", lambda result, path: path.write_text("a page"))
    return Lab(tmp_path / "results", monkeypatch)


def start_nothing(command, **options):
    raise AssertionError(f"{command} is started")


BUILT = []


def pretend_to_build(compilers, strategies, only_whole, progress):
    BUILT.append(([each.name for each in compilers], {each.name for each in strategies}, only_whole))
    for compiler, strategy in itertools.product(compilers, strategies):
        objects = [build.object_file(compiler.name, strategy.name, workload) for workload in WITH_CODE]
        for file in (build.probe(compiler.name, strategy.name), *objects):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"code of {strategy.name}")


class Lab:
    def __init__(self, output, monkeypatch):
        self.output = output
        self.latest = output / "latest.json"
        self.monkeypatch = monkeypatch

    def run(self, *arguments, measuring=None):
        """Runs the command, notes what it measured in `measuring`, and returns its exit code."""
        self.measuring = measuring or Measuring()
        self.monkeypatch.setattr(session.probe, "identify", self.measuring.identify)
        self.monkeypatch.setattr(session.probe, "launch", self.measuring.launch)
        self.monkeypatch.setattr(session.counting, "count", self.measuring.count)
        self.monkeypatch.setattr(session.code_size, "read", self.measuring.code_size)
        self.monkeypatch.setattr(session.probe, "data_size", self.measuring.data_size)
        self.monkeypatch.setattr(session.heap_or_stack, "read", self.measuring.listings)
        self.monkeypatch.setattr(session.heap_or_stack, "count", self.measuring.calls)
        self.monkeypatch.setattr(session.probe, "peaks", self.measuring.peaks)
        self.monkeypatch.setattr(session.probe, "timelines", self.measuring.timelines)
        chosen = "--quick --compiler g++ --strategy raw --strategy linked_ptr --only operations".split()
        return cli.main(["run", "--output", str(self.output), *(arguments or chosen)])

    def result(self):
        return store.load(self.latest)


def test_a_run_ends_with_a_whole_result_and_its_page(lab):
    assert lab.run() == 0
    assert lab.result().complete and lab.result().findings.ratios
    assert sorted(os.listdir(lab.output)) == ["latest.html", "latest.json"]


def test_a_result_names_the_command_that_measures_it_again(lab):
    command = "./freehold run --quick --no-count --size small --compiler g++ --only rings --strategy ocaml"
    lab.run(*command.split()[2:])
    assert lab.result().command == command


def test_everything_is_measured_when_nothing_is_chosen(lab):
    lab.run("--no-count")
    result = lab.result()
    strategies = {each.name for each in result.strategies if each.status == "measured"}
    compilers = {each.name for each in COMPILERS}
    followed = {each.strategy for each in result.timelines}
    assert {launch.cell.strategy for launch in result.launches} | followed == strategies
    assert {launch.cell.compiler for launch in result.launches} == compilers
    assert {launch.cell.workload for launch in result.launches} == set(TIMED) - set(BY_NAME)
    assert {peak.workload for peak in result.peaks} == set(WITH_PEAKS) - set(BY_NAME)
    assert {each.workload for each in result.timelines} == set(TIMELINES)
    assert {code.compiler for code in result.code} == {data.compiler for data in result.data} == compilers


def test_a_quick_run_leaves_out_what_is_only_for_a_whole_one(lab):
    lab.run("--quick", "--only", "list")
    assert {"pool_resource", "new_delete"} <= {each.name for each in lab.result().strategies}
    assert "std_monotonic" not in {each.name for each in lab.result().strategies}


def test_a_quick_run_leaves_out_workloads_that_are_not_asked_for(lab):
    lab.run("--quick", "--no-count")
    assert {launch.cell.workload for launch in lab.result().launches} == set(TIMED) - set(ONLY_WHOLE)
    lab.run("--quick", "--no-count", "--only", "mixes")
    assert {launch.cell.workload for launch in lab.result().launches} == {"mixes"}


def test_memory_is_followed_with_the_first_compiler_and_a_quick_run_leaves_it_out(lab):
    lab.run("--quick", "--no-count")
    assert lab.result().timelines == []
    assert lab.run("--quick", "--no-count", "--only", "nights") == 0
    assert {(each.workload, each.compiler) for each in lab.result().timelines} == {("nights", COMPILERS[0].name)}
    assert {"new_delete", "replace_new_malloc"} <= {each.strategy for each in lab.result().timelines}
    assert lab.result().launches == []


def test_memory_that_was_followed_before_an_interruption_is_not_followed_again(lab):
    asked = "--no-count --only nights --only parser --compiler g++".split()
    assert lab.run(*asked, measuring=Measuring(interrupt_after_timelines=4)) == 130
    known = [(each.workload, each.compiler, each.strategy) for each in lab.result().timelines]
    assert lab.run(*asked) == 0
    assert known and not set(known) & set(lab.measuring.followed)
    of_each = [(each.workload, each.strategy) for each in lab.result().timelines]
    assert len(of_each) == len(set(of_each)) and {workload for workload, _ in of_each} == {"nights", "parser"}


def test_large_queens_are_played_where_they_are_asked_for(lab):
    lab.run("--no-count", "--only", "queens", "--only", "operations", "--strategy", "thin_ptr")
    usual = lab.measuring.scales
    lab.run("--size", "large", "--no-count", "--only", "queens", "--only", "operations", "--strategy", "thin_ptr")
    assert lab.measuring.scales["queens"] > usual["queens"]
    assert lab.measuring.scales["operations"] == usual["operations"]


def test_by_name_a_quick_run_measures_anything(lab):
    lab.run("--quick", "--only", "list", "--strategy", "std_monotonic")
    assert {launch.cell.strategy for launch in lab.result().launches} == {"std_monotonic", "new_delete"}


def test_only_strategies_that_take_part_are_built(lab):
    lab.run("--quick", "--only", "pair")
    assert all(each.takes_part("pair") for each in lab.result().strategies)


def test_only_sizes_are_read_when_only_sizes_are_asked_for(lab):
    lab.run("--only", "code-size", "--only", "data-size")
    assert lab.result().code and lab.result().data and not lab.measuring.launches and not lab.measuring.counted


def test_heap_or_stack_is_read_and_counted_and_nothing_else_is(lab):
    lab.run("--only", "heap-or-stack", "--strategy", "pool_resource")
    result = lab.result()
    pairs = {(compiler.name, strategy) for compiler in COMPILERS for strategy in ("pool_resource", "new_delete")}
    assert {(each.compiler, each.strategy) for each in result.listings} == pairs
    assert {(each.compiler, each.strategy) for each in result.calls} == pairs
    assert not (result.launches or result.counts or result.peaks or result.code)


def test_without_counts_the_code_of_heap_or_stack_is_still_read(lab):
    lab.run("--only", "heap-or-stack", "--no-count")
    assert lab.result().listings and not lab.result().calls


def test_calls_that_were_counted_are_not_counted_again(lab):
    chosen = ["--quick", "--only", "heap-or-stack", "--only", "list", "--strategy", "pool_resource"]
    lab.run(*chosen, measuring=Measuring(interrupt_after=3))
    kept = lab.result().calls
    assert lab.run(*chosen) == 0
    assert kept and lab.result().calls == kept and lab.measuring.called == []


def test_what_is_timed_is_counted_once(lab):
    lab.run()
    assert len(lab.measuring.counted) == len(set(lab.measuring.counted)) == 3 * 2


def test_every_round_launches_every_cell_once(lab):
    lab.run()
    cells = 3 * 2 + 2
    assert len(lab.measuring.launches) == len(set(lab.measuring.launches)) == 10 * cells


def test_rounds_end_with_the_time(lab, monkeypatch):
    monkeypatch.setattr(run, "QUICK", replace(run.QUICK, seconds=150))
    seconds = iter(range(0, 10_000, 4))
    monkeypatch.setattr(session.time, "monotonic", lambda: next(seconds))
    lab.run()
    assert len(lab.measuring.launches) == 4 * 8


def test_what_was_installed_takes_part_of_the_time(lab, monkeypatch):
    monkeypatch.setenv("FREEHOLD_STARTED", str(time.monotonic() - run.QUICK.seconds))
    lab.run()
    assert len(lab.measuring.launches) == run.QUICK.least_rounds * 8


def test_a_quick_run_builds_nothing_that_only_a_whole_one_measures(lab):
    lab.run("--quick", "--no-count")
    assert [only_whole for *_, only_whole in BUILT] == [False]


@pytest.mark.parametrize("workload", ["queens", "heap-or-stack", "mixes"])
def test_what_only_a_whole_run_measures_is_built_where_it_is_asked_for(lab, workload):
    lab.run("--quick", "--no-count", "--only", workload)
    assert [only_whole for *_, only_whole in BUILT] == [True]


def test_what_needs_only_a_compiler_is_built_ahead(lab):
    run.build_ahead(run.Request(output=lab.output, quick=True, compilers=("g++",)))
    ((compilers, strategies, only_whole),) = BUILT
    assert compilers == ["g++-12"] and not only_whole
    assert {"shared_ptr", "std_shared_ptr"} <= strategies
    assert not {"boost_make_shared", "mimalloc"} & strategies


def test_what_cannot_be_built_ahead_is_left_to_the_run(lab, monkeypatch):
    def fail(*arguments):
        raise LabError("there is no CMake")

    monkeypatch.setattr(build, "build", fail)
    run.build_ahead(run.Request(output=lab.output))


def test_peers_that_are_not_measured_need_not_be_installed():
    quick = run.needless(run.Request(quick=True))
    assert {"ocaml", "libjemalloc-dev", "libtbb-dev"} <= quick
    assert not {"libboost-dev", "libmimalloc-dev"} & quick
    assert "ocaml" not in run.needless(run.Request(quick=True, workloads=("queens",)))
    assert {"ocaml", "libboost-dev"} & run.needless(run.Request()) == set()


def test_a_missing_peer_is_gray_and_says_what_to_install(lab, monkeypatch):
    monkeypatch.setattr(environment, "finds_includes", lambda compiler, header, options: "boost" not in header.name)
    lab.run("--quick", "--strategy", "boost_shared_ptr")
    boost = next(each for each in lab.result().strategies if each.name == "boost_shared_ptr")
    assert (boost.status, boost.note) == ("missing", "install libboost-dev")


def test_a_planned_strategy_is_not_built_yet(lab, monkeypatch):
    future = catalogue.Entry(name="future_ptr", label="future", family="pointers", status="planned")
    listed = [future, *catalogue.read()]
    monkeypatch.setattr(catalogue, "read", lambda: listed)
    lab.run("--quick", "--strategy", "future_ptr")
    assert lab.result().strategies[0].note == "not built yet"
    assert "future_ptr" not in {launch.cell.strategy for launch in lab.result().launches}


def test_a_restricted_strategy_is_measured_in_its_workloads_only(lab):
    lab.run("--quick", "--strategy", "managed_ptr", "--strategy", "rust_rc")
    result = lab.result()
    timed = {(launch.cell.strategy, launch.cell.workload) for launch in result.launches}
    assert timed - {("std_shared_ptr", workload) for workload in TIMED_POINTERS} == {
        ("managed_ptr", "instantiation"),
        ("rust_rc", "operations"),
        ("rust_rc", "instantiation"),
        ("rust_rc", "observers"),
    }
    assert timed == {(count.strategy, count.workload) for count in result.counts}
    assert {code.strategy for code in result.code} == {"managed_ptr", "std_shared_ptr"}
    assert {data.strategy for data in result.data} == {"managed_ptr", "std_shared_ptr"}


def test_without_rust_its_peers_are_missing(lab, monkeypatch):
    monkeypatch.setattr(environment, "succeeds", lambda *command: False)
    lab.run("--quick", "--strategy", "rust_arc")
    (rust,) = (each for each in lab.result().strategies if each.name == "rust_arc")
    assert (rust.status, rust.note) == ("missing", "install rustc")


def test_without_ocaml_queens_are_compared_with_the_standard_library(lab, monkeypatch):
    monkeypatch.setattr(environment, "succeeds", lambda *command: False)
    lab.run("--quick", "--only", "queens", "--strategy", "thin_ptr", "--strategy", "std_shared_ptr")
    result = lab.result()
    assert [(each.name, each.note) for each in result.strategies if each.status == "missing"] == [
        ("ocaml", "install ocaml")
    ]
    assert {launch.cell.strategy for launch in result.launches if launch.cell.control} == {"std_shared_ptr"}
    assert result.findings.references["queens"] == "std_shared_ptr"
    assert {ratio.strategy for ratio in result.findings.ratios if not ratio.control} == {"thin_ptr"}


def test_a_missing_compiler_is_noted(lab, monkeypatch):
    monkeypatch.setattr(environment, "compilers", lambda: COMPILERS[:1])
    lab.run("--quick", "--strategy", "raw")
    assert lab.result().notes == ["clang++ was not found: install clang-19"]


def test_without_valgrind_nothing_is_measured(lab, monkeypatch, capsys):
    monkeypatch.setattr(environment, "has_program", lambda program: program != "valgrind")
    assert lab.run() == 2
    assert capsys.readouterr().err == (
        "freehold: valgrind is missing: install valgrind, or pass --no-count to do without instruction counts\n"
    )


def test_without_valgrind_all_but_counts_is_measured_if_so_asked(lab, monkeypatch):
    monkeypatch.setattr(environment, "has_program", lambda program: program != "valgrind")
    assert lab.run("--quick", "--no-count", "--strategy", "raw") == 0
    assert lab.result().launches and not lab.result().counts
    assert lab.result().notes == ["instructions and locked operations were not counted, as --no-count asked"]


def test_an_interrupted_run_keeps_what_was_measured(lab, capsys):
    assert lab.run(measuring=Measuring(interrupt_after=11)) == 130
    assert len(lab.result().launches) == 11 and not lab.result().complete
    assert capsys.readouterr().err.splitlines()[-1].startswith("freehold: interrupted: the figures so far are in ")


def test_an_interrupted_run_is_resumed(lab, capsys):
    lab.run(measuring=Measuring(interrupt_after=11))
    kept = lab.result()
    assert lab.run() == 0
    assert "freehold: resuming the run started at " in capsys.readouterr().err
    assert lab.result().launches[:11] == kept.launches
    assert len(lab.measuring.launches) == 80 - 11 and lab.measuring.counted == []


def test_another_plan_does_not_go_on_with_it_and_keeps_it(lab):
    lab.run(measuring=Measuring(interrupt_after=11))
    kept = lab.latest.read_text()
    lab.run("--quick", "--only", "operations", "--strategy", "raw")
    assert kept in [file.read_text() for file in lab.output.glob("2*.json")]


def test_a_whole_result_is_kept_when_another_run_follows(lab, monkeypatch):
    lab.run()
    kept = lab.latest.read_text()
    lab.run()
    assert kept in [file.read_text() for file in lab.output.glob("2*.json")]


@pytest.mark.parametrize("damage", [lambda text: text[:1000], lambda text: "", lambda text: "[]"])
def test_a_damaged_result_is_moved_aside_and_reported(lab, capsys, damage):
    lab.run()
    damaged = damage(lab.latest.read_text())
    lab.latest.write_text(damaged)
    assert lab.run() == 0
    assert "latest.json is not a result: " in capsys.readouterr().err
    assert (lab.output / "latest.json.corrupt-1").read_text() == damaged


def test_a_checksum_mismatch_is_reported(lab, capsys):
    class Cheating(Measuring):
        def launch(self, executable, cell, scale, round_number):
            launch = super().launch(executable, cell, scale, round_number)
            return launch.model_copy(update={"checksum": "another"}) if cell.strategy == "raw" else launch

    assert lab.run(measuring=Cheating()) == 2
    assert "checksum mismatch in operations" in capsys.readouterr().err


def test_a_failing_probe_loses_nothing(lab, capsys):
    class Failing(Measuring):
        def launch(self, *arguments):
            if len(self.launches) == 5:
                raise session.LabError("probe_raw crashed")
            return super().launch(*arguments)

    assert lab.run(measuring=Failing()) == 2
    assert len(lab.result().launches) == 5
    assert capsys.readouterr().err.splitlines()[-1] == "freehold: probe_raw crashed"


def test_the_page_of_a_result_is_kept_with_it(lab):
    lab.run()
    lab.run()
    assert {file.stem for file in lab.output.glob("2*.html")} == {file.stem for file in lab.output.glob("2*.json")}


def test_the_version_is_that_of_the_library(lab):
    lab.run()
    assert json.loads(lab.latest.read_text())["freehold"].count(".") == 2
