"""How `./freehold switch` ends before its time, and what it shows until then."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from freehold_lab import folders

# A constant that takes libclang much longer to compute than a test may wait.
SLOW = """#include <memory>
std::weak_ptr<int> w;
constexpr int count() { int n = 0; for (int i = 0; i < 1000000000; ++i) n ^= i; return n; }
static_assert(count() == 0);
"""
OPTIONS = ["--write", "--force", "--", "-std=c++17", "-fconstexpr-steps=2147483647"]


def started(tree, **files):
    command = [sys.executable, "-P", "-m", "freehold_lab", "switch", str(tree), *OPTIONS]
    variables = os.environ | {"PYTHONPATH": str(folders.ROOT / "lab")}
    return subprocess.Popen(command, env=variables, preexec_fn=_heed_interrupts, **files)


def _heed_interrupts():
    # A shell's background job ignores them, and so would what it starts.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def workers(process):
    """Returns the processes that read units: each is a copy of the one that started it."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [child for child in children if b"freehold_lab" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.parametrize("units", [1, 3])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once_and_nothing_is_written(tmp_path, number, units):
    for unit in range(units):
        (tmp_path / f"{unit}.cpp").write_text(SLOW)
    with started(tmp_path, stderr=subprocess.PIPE) as process:
        while not (reading := workers(process)):
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(0.5)  # so that they are compiling
        process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == 130 and b"Traceback" not in said
    assert not any(Path(f"/proc/{worker}").exists() for worker in reading)
    assert all((tmp_path / f"{unit}.cpp").read_text() == SLOW for unit in range(units))


def test_a_terminal_shows_how_many_units_are_read(tmp_path):
    for unit in range(3):
        (tmp_path / f"{unit}.cpp").write_text("int a;\n")
    ours, theirs = pty.openpty()
    process = started(tmp_path, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the other side is closed
        pass
    assert process.wait() == 0 and b"3/3" in shown
