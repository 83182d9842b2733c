"""What operations of atomic pointers execute does not depend on threads that have ended."""

import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "include"
THREADS = 400  # Valgrind has 500


@pytest.fixture(scope="module")
def among(tmp_path_factory):
    output = tmp_path_factory.mktemp("among") / "among"
    options = ["-std=c++20", "-O2", "-DNDEBUG", "-pthread", f"-I{INCLUDE}"]
    subprocess.run(["g++", *options, HERE / "atomic_pointers_among_threads.cpp", "-o", output], check=True)
    return output


def instructions(program, when, operations):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "ended"]
    done = subprocess.run([*command, str(THREADS), when, str(operations)], check=True, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def test_a_queue_executes_the_same_after_threads_have_ended(among):
    # Many operations: what the threads execute until all exist varies by some hundred thousand instructions. A fence
    # comes each 50 milliseconds, so on a busy machine some hundredths more are executed. An operation that looked at
    # the records of 400 threads would execute as many more again.
    before, after = (
        instructions(among, when, 60_000) - instructions(among, when, 2_000) for when in ("before", "after")
    )
    assert after <= 1.1 * before
