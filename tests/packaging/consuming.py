"""What the tests of packages share: the consumer, and how a tool is found, run and missed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONSUMER = Path(__file__).with_name("consumer")
VERSION = re.findall(r'FREEHOLD_VERSION "(.+)"', (ROOT / "include/freehold/core/version.hpp").read_text())[0]

# What plug-ins share with the program (docs/guide/with-shared-libraries.md).
EXPORTED = re.findall(r"freehold_\w+_\d+", (ROOT / "cmake/freeholdLink.cmake").read_text())


def run(*command, **settings):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, **settings)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def run_consumer(program):
    run(program)
    symbols = run("nm", "--dynamic", "--defined-only", program).split()
    assert set(EXPORTED) <= set(symbols)


def tool(name, package):
    """Returns the path of a program, from PATH or the Python environment. Skips the test if there is none."""
    found = shutil.which(name) or shutil.which(name, path=Path(sys.executable).parent)
    return found or pytest.skip(f"there is no {name} here: install {package}")
