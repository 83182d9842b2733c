"""What is measured and in what order."""

import pytest

from freehold_lab.model import State, Strategy
from freehold_lab.plan import FULL, QUICK, Pace, Plan
from freehold_lab.workloads import (
    FAMILIES,
    HEAP_OR_STACK,
    MEMORY,
    POINTERS,
    PROGRAMS,
    SCALES,
    SEVERAL_THREADS,
    SIZES,
    TIMED_MEMORY,
    TIMED_POINTERS,
)

# What pointers do in one thread, and what of it is timed.
POINTERS_ALONE = tuple(each for each in POINTERS if each not in SEVERAL_THREADS)
PROGRAMS_ALONE = [each for each in PROGRAMS if each in POINTERS_ALONE]
TIMED_ALONE = [each for each in TIMED_POINTERS if each in POINTERS_ALONE]


def strategy(name, family, workloads=(), compilers=(), virtual_machine=False):
    return Strategy(
        name=name,
        label=name,
        family=family,
        status="measured",
        workloads=workloads or list(FAMILIES[family]),
        compilers=list(compilers),
        virtual_machine=virtual_machine,
    )


RAW = strategy("raw", "baseline")
STD = strategy("std_shared_ptr", "peers", POINTERS_ALONE)
NEW = strategy("new_delete", "allocators")
LIBCXX = strategy("libcxx_pool", "allocators", compilers=["clang++-19"])


def plan(**changes):
    standard = {
        "workloads": POINTERS,
        "compilers": ("g++-12", "clang++-19"),
        "strategies": (RAW, STD),
        "count": True,
        "pace": QUICK,
    }
    return Plan(**standard | changes)


def test_every_strategy_is_timed_under_every_compiler_in_both_states():
    operations = [cell for cell in plan().subjects() if cell.workload == "operations"]
    assert {(cell.compiler, cell.strategy, cell.state) for cell in operations} == {
        (compiler, strategy, state)
        for compiler in ("g++-12", "clang++-19")
        for strategy in ("raw", "std_shared_ptr")
        for state in State
    }


def test_sizes_are_not_timed():
    assert {cell.workload for cell in plan().round(0)} == set(TIMED_ALONE)


def test_each_workload_compiler_and_state_has_one_control():
    controls = [cell for cell in plan().round(0) if cell.control]
    assert (
        len(controls) == len({(cell.workload, cell.compiler, cell.state) for cell in controls}) == 4 * len(TIMED_ALONE)
    )


@pytest.mark.parametrize("program", PROGRAMS_ALONE)
def test_programs_need_owners_that_know_the_last_one(program):
    assert {cell.strategy for cell in plan().subjects() if cell.workload == program} == {"std_shared_ptr"}


@pytest.mark.parametrize("program", PROGRAMS_ALONE)
def test_programs_are_compared_with_ocaml_where_it_is_there(program):
    ocaml = strategy("ocaml", "peers", [program])
    for strategies, expected in (((STD, ocaml), "ocaml"), ((STD,), "std_shared_ptr")):
        controls = plan(workloads=(program,), strategies=strategies).controls()
        assert {cell.strategy for cell in controls} == {expected}


def test_the_control_is_the_reference():
    assert {cell.strategy for cell in plan().controls()} == {"std_shared_ptr"}


def test_a_round_has_every_cell_once():
    cells = plan().round(3)
    assert len(cells) == len(set(cells)) == 12 + 2 * 4 * len(TIMED_ALONE)


def test_rounds_have_different_orders():
    assert plan().round(0) != plan().round(1)


def test_a_round_has_the_same_order_every_time():
    assert plan().round(1) == plan().round(1)


def test_a_restricted_strategy_is_measured_in_its_workloads_only():
    restricted = plan(strategies=(strategy("raw", "baseline", ["instantiation", "data-size"]), STD))
    assert {cell.workload for cell in restricted.round(0) if cell.strategy == "raw"} == {"instantiation"}
    assert [cell for cell in restricted.subjects() if cell.strategy == "std_shared_ptr"] == [
        cell for cell in plan().subjects() if cell.strategy == "std_shared_ptr"
    ]
    assert ("g++-12", "raw") in restricted.pairs_in("data-size")
    assert ("g++-12", "raw") not in restricted.pairs_in("code-size")
    assert restricted.pairs() == plan().pairs()


def test_memory_has_a_reference_of_its_own():
    both = plan(workloads=(*POINTERS, *MEMORY), strategies=(RAW, STD, NEW))
    assert {cell.strategy for cell in both.controls() if cell.workload in MEMORY} == {"new_delete"}
    assert {cell.strategy for cell in both.controls() if cell.workload in POINTERS} == {"std_shared_ptr"}


def test_what_several_threads_do_is_timed_with_threads_and_never_counted():
    memory = plan(workloads=MEMORY, strategies=(NEW,))
    assert {cell.state for cell in memory.subjects() if cell.workload in SEVERAL_THREADS} == {State.THREADED}
    assert {cell.workload for cell in memory.counted_subjects()} == set(TIMED_MEMORY) - set(SEVERAL_THREADS)


def test_what_one_of_the_threads_does_can_be_counted_all_the_same():
    atomic = plan(strategies=(strategy("std_atomic_shared_ptr", "peers", ["replaced"]),))
    assert {(cell.workload, cell.state) for cell in atomic.counted_subjects()} == {("replaced", State.THREADED)}


def test_a_workload_can_have_references_of_its_own():
    locked, atomic = (
        strategy(name, "peers", ["replaced"]) for name in ("std_shared_ptr_mutex", "std_atomic_shared_ptr")
    )
    for strategies, expected in (((RAW, locked, atomic), atomic), ((RAW, locked), locked)):
        controls = plan(strategies=strategies).controls()
        assert {(cell.workload, cell.strategy) for cell in controls} == {("replaced", expected.name)}


def test_a_virtual_machine_is_timed_with_threads_and_never_counted():
    java = strategy("java", "peers", ["rings"], virtual_machine=True)
    both = plan(workloads=("rings",), strategies=(STD, java))
    assert {cell.state for cell in both.subjects() if cell.strategy == "java"} == {State.THREADED}
    assert {cell.strategy for cell in both.counted_subjects()} == {"std_shared_ptr"}
    assert ("rings", "g++-12", "java") in both.with_peaks()


def test_a_strategy_is_built_with_its_compilers_only():
    memory = plan(workloads=MEMORY, strategies=(NEW, LIBCXX))
    assert memory.pairs() == [
        ("g++-12", "new_delete"),
        ("clang++-19", "new_delete"),
        ("clang++-19", "libcxx_pool"),
    ]
    assert ("g++-12", "libcxx_pool") not in {(cell.compiler, cell.strategy) for cell in memory.round(0)}


def test_calls_of_heap_or_stack_are_counted_and_never_timed():
    calls = plan(workloads=(HEAP_OR_STACK,), strategies=(NEW, LIBCXX))
    assert calls.counted() and calls.counted_calls() == calls.pairs()
    assert calls.round(0) == []


def test_calls_are_not_counted_where_nothing_is():
    assert plan(workloads=(HEAP_OR_STACK,), strategies=(NEW,), count=False).counted_calls() == []


def test_calls_are_counted_only_where_they_are_asked_for():
    assert plan(workloads=TIMED_MEMORY, strategies=(NEW,)).counted_calls() == []


def test_memory_is_weighed_where_it_can_pile_up():
    memory = plan(workloads=("list", "pair", "churn"), strategies=(NEW,))
    assert memory.with_peaks() == [(workload, *pair) for workload in ("list", "churn") for pair in memory.pairs()]


def test_memory_is_followed_with_the_first_compiler_alone_and_never_timed():
    malloc = strategy("replace_new_malloc", "memory", ["nights", "parser"])
    followed = plan(workloads=("list", "parser", "nights"), strategies=(NEW, malloc))
    assert followed.timelines() == [(each, "g++-12", "replace_new_malloc") for each in ("parser", "nights")]
    assert {cell.workload for cell in followed.subjects()} == {"list"}
    assert plan(workloads=("list",), strategies=(NEW, malloc)).timelines() == []


def test_programs_are_weighed_under_every_pointer():
    assert plan().with_peaks() == [
        (program, compiler, "std_shared_ptr") for program in PROGRAMS_ALONE for compiler in ("g++-12", "clang++-19")
    ]


@pytest.mark.parametrize("pace", [QUICK, FULL])
def test_a_scale_is_that_of_the_pace_and_the_usual_one_for_programs(pace):
    everything = plan(workloads=(*POINTERS, *MEMORY), pace=pace)
    for workload in everything.workloads:
        assert everything.scale(workload) == (SCALES["usual"] if workload in PROGRAMS else pace.scale)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_larger_where_nothing_else_is_measured(program):
    alone = plan(workloads=(program,), pace=FULL)
    assert alone.scale(program) > plan(workloads=(program, "operations"), pace=FULL).scale(program)
    assert plan(workloads=(program, "rings", "graph"), pace=FULL).scale(program) == alone.scale(program)
    assert plan(workloads=("operations",), pace=FULL).scale("operations") == FULL.scale
    assert plan(workloads=(program,), pace=QUICK).scale(program) == QUICK.program_scale


@pytest.mark.parametrize("program", PROGRAMS)
def test_only_programs_have_the_size_that_is_asked_for(program):
    asked = [plan(workloads=(program, "containers"), pace=FULL, size=size) for size in SIZES]
    assert [each.scale(program) for each in asked] == [SCALES[size] for size in SIZES]
    assert {each.scale("containers") for each in asked} == {FULL.scale}


def test_sizes_alone_need_no_counting():
    assert not plan(workloads=("code-size", "data-size")).counted()


@pytest.mark.parametrize(
    "change",
    [
        {"pace": FULL},
        {"workloads": ("operations",)},
        {"strategies": (RAW,)},
        {"count": False},
        {"size": "large"},
        {"strategies": (strategy("raw", "baseline", ["operations"]), STD)},
    ],
)
def test_another_plan_has_another_digest(change):
    assert plan(**change).digest([]) != plan().digest([])


def test_another_build_has_another_digest(tmp_path):
    probe = tmp_path / "probe"
    probe.write_text("one")
    first = plan().digest([probe])
    probe.write_text("two")
    assert plan().digest([probe]) != first


PACE = Pace(seconds=60, least_rounds=3, most_rounds=10, scale=1, program_scale=1, count_scale=1)


@pytest.mark.parametrize(
    ("done", "fitting", "rounds"), [(1, 4.9, 5), (0.5, 4.7, 5), (1, 0.5, 3), (5, -1, 4), (2, -3, 3), (5, 100, 10)]
)
def test_as_many_rounds_as_fit_within_bounds(done, fitting, rounds):
    assert PACE.rounds(done, fitting) == rounds
