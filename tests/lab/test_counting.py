"""Executed instructions and locked operations, counted by callgrind."""

from functools import cache

import pytest

from fakes import program
from freehold_lab.errors import LabError
from freehold_lab.measure import callgrind, counting
from freehold_lab.model import State
from freehold_lab.setup import environment
from freehold_lab.workloads import QUEENS, REFERENCES, SEVERAL_THREADS, TIMED, UNCOUNTED, reference
from synthetic import STYLES

COUNTED = [workload for workload in TIMED if workload not in UNCOUNTED]

# Two files; main calls a function of the second, which executes 30 instructions in 3 calls.
DUMP = """\
# callgrind format
part: 1
desc: Trigger: Client Request
positions: instr line
events: Ir
summary: 44

ob=/bin/first
fl=first.cpp
fn=main
0x1000 7 10
0x1003 8 3
cob=/lib/second.so
cfi=second.cpp
cfn=second
calls=3 0x2000 1
0x1003 8 30
0x1008 9 1

ob=/lib/second.so
fl=second.cpp
fn=second
0x2000 1 27
fi=second.hpp
0x2000 5 3

totals: 44
"""

# `work` executes seven locked additions, three exchanges with memory, which lock by themselves, and four of registers,
# which do not; an exchange counts for ten other instructions as well.
WORK = """
#include <valgrind/callgrind.h>

[[gnu::noinline]] void work(int times) {
    static int number = 0;
    for (; times > 0; --times) {
        asm volatile(
            ".rept 7; lock addl $1, %0; .endr\\n"
            ".rept 3; xchgl %%eax, %0; .endr\\n"
            ".rept 4; xchgl %%eax, %%ecx; .endr\\n"
            ".rept 86; nop; .endr"
            : "+m"(number), "+r"(times) : : "eax", "ecx");  // g++ 14 would do two rounds at once
    }
}

int main() {
    work(1);
    for (int times = 0; times < 3; ++times) {
        CALLGRIND_TOGGLE_COLLECT;
        work(times);
        CALLGRIND_TOGGLE_COLLECT;
        CALLGRIND_DUMP_STATS;
    }
}
"""


def read(tmp_path, text):
    dump = tmp_path / "dump.1"
    dump.write_text(text)
    return callgrind.executions(dump, "a program")


def test_executions_are_added_up_by_file_and_address(tmp_path):
    assert read(tmp_path, DUMP) == {
        ("/bin/first", 0x1000): 10,
        ("/bin/first", 0x1003): 3,
        ("/bin/first", 0x1008): 1,
        ("/lib/second.so", 0x2000): 30,
    }


def test_what_calls_executed_is_added_up_by_function(tmp_path):
    again = "cfn=second\ncalls=1 0x2000 1\n0x1008 9 5\n"
    (tmp_path / "dump.1").write_text(DUMP + again + again.replace("second", "third"))
    assert callgrind.inclusive(tmp_path / "dump.1") == {"second": 35, "third": 5}


def test_a_dump_that_does_not_add_up_is_refused(tmp_path):
    with pytest.raises(LabError, match="a program: .* 43 instructions, not to 44"):
        read(tmp_path, DUMP.replace("0x1008 9 1\n", ""))


def test_locked_operations_are_distinguished_from_others(compile_file):
    _, (_, once, twice) = callgrind.run([str(compile_file(WORK))], "a program")
    assert (once.locked, twice.locked) == (10, 20)


def test_instructions_are_exact(compile_file):
    _, (_, once, twice) = callgrind.run([str(compile_file(WORK))], "a program")
    loop = (twice - once).instructions - 100  # what a compiler needs to go round: g++ 14 more than g++ 12
    assert 2 <= loop <= 8


def test_a_library_counts_too(compile_file):
    text = WORK.replace("work(times)", "for (int i = 0; i < 1000 * times; ++i) free(malloc(8))")
    text = "#include <stdlib.h>\n" + text
    _, (_, once, twice) = callgrind.run([str(compile_file(text, "-fno-builtin"))], "a program")
    assert (twice - once).instructions > 20_000


def test_code_of_no_file_is_counted_but_not_known(compile_file):
    program = """
        #include <sys/mman.h>
        #include <valgrind/callgrind.h>
        #include <cstring>
        int main() {
            const int access = PROT_READ | PROT_WRITE | PROT_EXEC;
            void* const memory = mmap(nullptr, 4096, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            std::memcpy(memory, "\\x90\\x90\\x90\\xc3", 4);
            CALLGRIND_TOGGLE_COLLECT;
            reinterpret_cast<void (*)()>(memory)();
            CALLGRIND_TOGGLE_COLLECT;
            CALLGRIND_DUMP_STATS;
        }
    """
    _, (once,) = callgrind.run([str(compile_file(program))], "a program")
    assert once.unread == 4


def test_a_program_without_requests_has_no_dumps(tmp_path):
    assert callgrind.run(["true"], "true") == ("", [])


def per_copy(counts):
    """The slope over the set size: instructions and locked operations of one amortized copy."""
    first, last = counts[0], counts[-1]
    sizes = last.x - first.x
    return (last.instructions - first.instructions) / sizes, (last.locked - first.locked) / sizes


def count_anew(probes, strategy, workloads=("operations",), state=State.ALONE):
    return counting.count(probes.executable(strategy), workloads, probes.compiler, strategy, state, scale=500)


@cache
def _counted(executable, *asked):
    return counting.count(executable, *asked, scale=500)


def count(probes, strategy, workload="operations", state=State.ALONE):
    """What is the same every time is counted once."""
    return _counted(probes.executable(strategy), (workload,), probes.compiler, strategy, state)


def without_instructions(count):
    return count.model_dump(exclude={"instructions"})


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("to", sorted({REFERENCES[workload] for workload in COUNTED}))
def test_counts_are_the_same_every_time(probes, to, state):
    workloads = [workload for workload in COUNTED if REFERENCES[workload] == to]
    if state is State.ALONE:
        # Their checksums start threads: those that follow would not be alone.
        workloads = [workload for workload in workloads if workload not in SEVERAL_THREADS]
    if not workloads:
        pytest.skip("all of them have several threads")
    strategy = reference(workloads[0], probes.strategies)
    if strategy == "ocaml" and probes.compiler != environment.compilers()[0].name:
        pytest.skip("no compiler of C++ has a part in it")
    counts = count_anew(probes, strategy, workloads, state)
    assert {each.workload for each in counts} == set(workloads)
    again = count_anew(probes, strategy, workloads, state)
    # Where a program reads the clock, the system's function for that repeats itself now and then. In subtrees, whose
    # operations are short, the clock is much of each.
    for one, other in zip(counts, again, strict=True):
        noise = 5e-3 if one.workload == "subtrees" else 1e-4
        assert other.instructions == pytest.approx(one.instructions, rel=noise)
    assert list(map(without_instructions, again)) == list(map(without_instructions, counts))


def test_a_pool_takes_a_sixth_of_the_instructions_of_new(probes):
    (new,), (pool,) = (count(probes, strategy, "pair") for strategy in ("new_delete", "pool_resource"))
    assert pool.instructions < new.instructions / 6 and pool.locked == 0


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("workload", ["pair", "batch", "churn"])
def test_the_concurrent_pool_never_locks_where_blocks_stay_in_their_thread(probes, workload, state):
    assert all(each.locked == 0 for each in count(probes, "concurrent_pool_resource", workload, state))


@pytest.mark.parametrize(("strategy", "locked"), [("atomic_shared_ptr", 2), ("rust_arc_rwlock", 4)])
def test_a_read_of_what_threads_replace_counts_twice_and_a_lock_is_locked_and_unlocked(probes, strategy, locked):
    (read,) = count(probes, strategy, "replaced", State.THREADED)
    assert (read.series, read.x, read.locked) == ("read", 1, locked)


@pytest.mark.parametrize(("strategy", "locked"), [("biased_shared_ptr", 0), ("std_shared_ptr", 2)])
def test_a_copy_in_the_thread_that_made_the_object_locks_nothing_if_the_count_is_biased(probes, strategy, locked):
    (copy,) = count(probes, strategy, "mostly-one-thread", State.THREADED)
    assert (copy.series, copy.x, copy.locked) == ("copy", 1, pytest.approx(locked, abs=0.01))


@pytest.mark.parametrize("strategy", ["local_thin_ptr", "rust_rc", "ocaml", "uncounted_stack"])
def test_queens_lock_nothing_where_counts_are_plain_or_there_are_none(probes, strategy):
    counts = count(probes, strategy, QUEENS)
    assert [(each.series, each.x) for each in counts] == [(style, 6) for style in STYLES]
    assert all(each.locked == 0 for each in counts)


def test_the_less_is_copied_the_less_is_locked(probes):
    by_value, const_reference, modern, borrowed, direct = (
        each.locked for each in count(probes, "intrusive_ptr", QUEENS, State.THREADED)
    )
    assert by_value > 2 * const_reference > 4 * modern > 0 and borrowed <= modern == direct


def test_a_predicate_costs_nothing_but_in_ocaml(probes):
    """Compilers of C++ and Rust inline it. OCaml calls a closure for each square."""

    def direct_to_modern(strategy):
        executed = {each.series: each.instructions for each in count(probes, strategy, QUEENS)}
        return executed["direct"] / executed["modern"]

    for strategy in ("local_thin_ptr", "traced_ptr", "rust_rc", "uncounted_stack"):
        if strategy in probes.strategies:
            assert 0.9 < direct_to_modern(strategy) < 1.1
    if probes.compiler == environment.compilers()[0].name:  # OCaml's compiler is the same with each
        assert direct_to_modern("ocaml") < 0.85


def test_counts_of_sets_grow_by_whole_instructions_and_evenly(probes):
    counts = count(probes, "std_shared_ptr")
    slopes = {per_copy(counts[i : i + 2]) for i in range(len(counts) - 1)}
    assert len(slopes) == 1
    assert all(each.instructions == int(each.instructions) for each in counts)


def test_a_second_thread_makes_the_standard_library_lock(probes):
    assert per_copy(count(probes, "std_shared_ptr"))[1] == 0
    assert per_copy(count(probes, "std_shared_ptr", state=State.THREADED))[1] == 2  # to share, and to release


@pytest.mark.parametrize("state", State)
def test_raw_pointers_never_lock_and_copy_in_five_instructions_at_most(probes, state):
    instructions, locked = per_copy(count(probes, "raw", state=state))
    assert instructions <= 5 and locked == 0


@pytest.mark.parametrize("state", State)
def test_only_what_one_thread_does_is_counted(probes, state):
    counts = count(probes, "shared_ptr", "instantiation", state)
    assert [(each.series, each.x) for each in counts] == [("make and release", 1), ("make, move and release", 1)]


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize(("strategy", "locked"), [("rust_arc", 2), ("rust_rc", 0)])
def test_rust_is_counted_as_the_others_are(probes, strategy, locked, state):
    counts = count(probes, strategy, state=state)
    assert per_copy(counts)[1] == locked
    assert counts == count_anew(probes, strategy, state=state)


@pytest.mark.parametrize("strategy", ["linked_ptr", "rust_rc"])
def test_workloads_may_be_counted_together(probes, strategy):
    workloads = ["operations", "instantiation"]
    together = count_anew(probes, strategy, workloads)
    assert together == [each for workload in workloads for each in count(probes, strategy, workload)]


def test_a_count_says_what_it_belongs_to(probes):
    counts = count(probes, "raw", "containers", State.THREADED)
    assert {(each.workload, each.compiler, each.strategy, each.state, each.x) for each in counts} == {
        ("containers", probes.compiler, "raw", State.THREADED, 500)
    }
    assert [each.series for each in counts] == ["vector fill", "vector sort", "list fill", "list sort"]
    assert all(each.instructions > 500 for each in counts)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [("echo oops >&2; exit 3", "exit code 3: oops"), ("echo {}", "unexpected output"), ("true", "unexpected output")],
)
def test_a_probe_that_fails_is_named_in_one_line(tmp_path, script, complaint):
    executable = program(tmp_path, "probe_raw", script)
    with pytest.raises(LabError) as raised:
        counting.count(executable, ["operations"], "g++-12", "raw", State.ALONE, scale=10)
    (line,) = str(raised.value).splitlines()
    assert line.startswith(f"{tmp_path.name}/probe_raw count operations") and complaint in line


def test_valgrind_may_be_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabError, match="cannot start valgrind"):
        callgrind.run(["true"], "true")
