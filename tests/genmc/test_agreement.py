"""Runs the programs of this folder under GenMC and under the checker of tests/support, and expects the same of both.

GenMC (https://github.com/MPI-SWS/genmc) is an independent model checker, which reads what clang makes of a program. It
is in no Debian: `genmc` must be on the PATH, or FREEHOLD_GENMC name it. CONTRIBUTING.md says how it is built.
"""

import itertools
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INCLUDES = [f"-I{HERE.parent}", f"-I{HERE.parents[1] / 'include'}"]
GTEST = Path(os.environ.get("FREEHOLD_GOOGLETEST", "/usr/src/googletest")) / "googletest"
GENMC = os.environ.get("FREEHOLD_GENMC") or shutil.which("genmc")

ORDERS = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"]  # as std::memory_order numbers them
WEAKENINGS = ["none", "acquires", "releases", "fences"]  # as program.hpp numbers them
ERROR = frozenset(["error"])

STORE = ["relaxed", "release", "seq_cst"]
LOAD = ["relaxed", "acquire", "seq_cst"]
FENCE = ["acquire", "release", "acq_rel", "seq_cst"]
UPDATE = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
TWO_FENCES = ["acq_rel", "seq_cst"]

# What each order of a litmus test may be.
LITMUS = {
    "message_passing": [STORE, LOAD],
    "message_passing_by_fences": [FENCE, FENCE],
    "message_passing_by_misplaced_fences": [STORE, LOAD],
    "message_passing_of_data": [STORE, LOAD],
    "store_buffering": [STORE, LOAD],
    "store_buffering_by_fences": [FENCE, FENCE],
    "store_buffering_by_one_fence": [TWO_FENCES, STORE, LOAD],
    "store_buffering_by_updates": [UPDATE, UPDATE],
    "store_buffering_of_three": [TWO_FENCES, TWO_FENCES, TWO_FENCES],
    "load_buffering": [LOAD, STORE],
    "independent_reads": [STORE, LOAD, LOAD],
    "independent_reads_by_fences": [STORE, FENCE],
    "coherence_of_reads": [STORE, LOAD],
    "coherence_of_writes": [STORE, LOAD],
    "two_plus_two_writes": [STORE, STORE],
    "two_plus_two_writes_by_fences": [FENCE, FENCE],
    "writes_against_a_read": [STORE, LOAD],
    "writes_against_a_read_by_fences": [FENCE, FENCE],
    "a_write_after_an_acquire": [STORE, LOAD],
    "write_to_read_causality": [STORE, LOAD],
    "read_to_write_causality": [STORE, LOAD],
    "read_to_write_causality_by_fences": [FENCE, FENCE],
    "two_flags_in_turn": [STORE, LOAD],
    "release_sequence_by_an_update": [STORE, UPDATE],
    "release_sequence_by_two_updates": [STORE, UPDATE],
    "release_sequence_by_a_store": [STORE, LOAD],
    "release_sequence_of_one_thread": [STORE],
    "release_sequence_after_a_fence": [FENCE, FENCE],
    "updates_and_a_store": [STORE, UPDATE],
    "exchanges_by_comparison": [UPDATE, LOAD],
    "sequential_order_against_happens_before": [STORE, STORE],
}

DISAGREEMENT = {1_00_01_00}  # in independent_reads: the two readers see the writes in different orders
UNSEEN = {1_00_00}  # in exchanges_by_comparison: an exchange has failed by a value, and not seen what was before that

# The outcomes that GenMC alone finds.
GENMC_ALONE = {
    # The standard allows these. The checker's order S is that of execution, so that it also agrees with what operations
    # outside of S read; the standard asks less (support/memory_model.hpp).
    ("independent_reads", "seq_cst", "relaxed", "seq_cst"): DISAGREEMENT,
    ("independent_reads", "seq_cst", "acquire", "seq_cst"): DISAGREEMENT,
    ("sequential_order_against_happens_before", "seq_cst", "relaxed"): {1_03_00_00},
    # The standard forbids these. The reads are coherence-ordered through the writes ([atomics.order]/3, last point),
    # hence in S; in RC11 only if the writes are in S, too.
    ("independent_reads", "relaxed", "seq_cst", "seq_cst"): DISAGREEMENT,
    ("independent_reads", "release", "seq_cst", "seq_cst"): DISAGREEMENT,
    # GenMC gives an exchange that fails the order of one that succeeds.
    ("exchanges_by_comparison", "release", "acquire"): UNSEEN,
    ("exchanges_by_comparison", "release", "seq_cst"): UNSEEN,
}

# The outcomes that the checker alone finds: again by the order of an exchange that fails.
CHECKER_ALONE = {
    ("exchanges_by_comparison", "acq_rel", "relaxed"): UNSEEN,
    ("exchanges_by_comparison", "seq_cst", "relaxed"): UNSEEN,
}

# What is weakened in the programs of each protocol: then both find an error.
PROTOCOLS = {
    "alias_records": ["acquires", "releases"],
    "biased_counts": ["acquires", "releases"],
    "counts": ["acquires", "releases"],
    "inbox": ["acquires", "releases"],
    "reader_domain": ["acquires", "releases", "fences"],
    "reclamation": ["acquires", "releases", "fences"],
    "sharded_counts": ["acquires", "releases"],
}


@dataclass(frozen=True)
class Case:
    program: str
    weakening: str = "none"
    orders: tuple[str, ...] = ()

    @property
    def name(self):
        return "_".join(["run", self.program, self.weakening, *self.orders])


def programs_of(source):
    """Returns the names of the classes in the file that run."""
    classes = re.findall(r"^struct (\w+) : [\w<>:]+ \{(.*?)^\};", (HERE / source).read_text(), re.MULTILINE | re.DOTALL)
    return [name for name, body in classes if "void run(" in body]


def cases_of_litmus(program):
    return [Case(program, orders=orders) for orders in itertools.product(*LITMUS[program])]


CASES = {"litmus.hpp": [case for program in LITMUS for case in cases_of_litmus(program)]} | {
    f"protocols/{protocol}.hpp": [
        Case(program, weakening)
        for program in programs_of(f"protocols/{protocol}.hpp")
        for weakening in ["none", *weakenings]
    ]
    for protocol, weakenings in PROTOCOLS.items()
}
OF_PROTOCOLS = [
    pytest.param(source, case, id=f"{case.program}-{case.weakening}")
    for source, cases in CASES.items()
    if source != "litmus.hpp"
    for case in cases
]


@pytest.fixture(scope="session")
def checker(tmp_path_factory):
    """Runs a case under the checker. Returns: the outcomes, or ERROR."""
    program = tmp_path_factory.mktemp("checker") / "under_checker"
    sources = [part for source in CASES for part in ("-include", HERE / source)]
    names = " ".join(f"use({name})" for source in CASES for name in programs_of(source))
    options = ["-std=c++20", "-O1", "-pthread", f"-I{GTEST}/include", f"-I{GTEST}", *INCLUDES]
    files = [HERE / "under_checker.cpp", GTEST / "src" / "gtest-all.cc"]
    subprocess.run(["g++", *options, *sources, f"-DEACH_PROGRAM(use)={names}", *files, "-o", program], check=True)

    def run(case):
        numbers = [WEAKENINGS.index(case.weakening), *map(ORDERS.index, case.orders)]
        done = subprocess.run([program, case.program, *map(str, numbers)], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return ERROR if done.returncode else frozenset(map(int, done.stdout.split()))

    return run


@pytest.fixture(scope="session")
def genmc(tmp_path_factory):
    """Runs a case of a source under GenMC. Returns: the outcomes, if its graphs are printed, or ERROR."""
    if GENMC is None:
        pytest.skip("genmc is not on the PATH, and FREEHOLD_GENMC does not name it")
    told = subprocess.run([GENMC, "--version"], capture_output=True, text=True, check=True).stdout
    clang = "clang++-" + re.search(r"LLVM (\d+)", told)[1]
    folder = tmp_path_factory.mktemp("genmc")
    # Its passes crash on what they inline, its cache takes stack objects of loops for freed ones, and to warn of leaks
    # it runs again and crashes.
    disabled = ["estimation", "function-inliner", "instruction-caching", "warn-on-unfreed-memory"]
    command = [GENMC, "--rc11", *(f"--disable-{each}" for each in disabled), "--input-from-bitcode-file"]

    modules = {source: folder / Path(source).with_suffix(".ll").name for source in CASES}
    for source, module in modules.items():
        _compile_for_genmc(clang, source, module)

    def run(source, case, *options):
        function = f"--program-entry-function={case.name}"
        told = subprocess.run(
            [*command, *options, function, modules[source]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ).stdout
        if re.search(r"^Error: ", told, re.MULTILINE):
            return ERROR
        assert "No errors were detected." in told, told[-2000:]
        return frozenset(map(int, re.findall(r"Wrlx \(\S*outcome\S*, (\d+)\)", told)))

    return run


def _compile_for_genmc(clang, source, module):
    relaxed = ["relaxed"] * 4
    cases = " ".join(
        f"use({', '.join([case.name, case.program, case.weakening, *[*case.orders, *relaxed][:4]])})"
        for case in CASES[source]
    )
    # As GenMC compiles, but with the headers of the system.
    options = "-std=c++20 -S -emit-llvm -g -Xclang -disable-O0-optnone -fno-discard-value-names -fno-exceptions"
    options += " -fno-rtti -fno-sized-deallocation -fno-c++-static-destructors -DNDEBUG -DUNDER_GENMC"
    files = ["-include", HERE / source, HERE / "under_genmc.cpp", "-o", module]
    subprocess.run([clang, *options.split(), *INCLUDES, f"-DEACH_CASE(use)={cases}", *files], check=True)


@pytest.mark.parametrize("program", LITMUS)
def test_outcomes_agree(program, checker, genmc):
    def outcomes_of(case):
        return genmc("litmus.hpp", case, "--print-exec-graphs")

    cases = cases_of_litmus(program)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(zip(cases, pool.map(checker, cases), pool.map(outcomes_of, cases), strict=True))
    for alone, expected in [
        ({case: theirs - ours for case, ours, theirs in found}, GENMC_ALONE),
        ({case: ours - theirs for case, ours, theirs in found}, CHECKER_ALONE),
    ]:
        assert alone == {case: expected.get((program, *case.orders), set()) for case in cases}


@pytest.mark.parametrize(("source", "case"), OF_PROTOCOLS)
def test_checker_judges_protocols(source, case, checker):
    assert (checker(case) == ERROR) == (case.weakening != "none")


@pytest.mark.parametrize(("source", "case"), OF_PROTOCOLS)
def test_genmc_judges_protocols(source, case, genmc):
    assert (genmc(source, case) == ERROR) == (case.weakening != "none")
