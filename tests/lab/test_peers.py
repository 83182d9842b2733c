"""The strategies that no other test builds compile: with the first compiler, without making code of it."""

import shlex
import subprocess
import sys

import pytest

from freehold_lab import catalogue, folders
from freehold_lab.setup import environment

COMPILER = environment.compilers()[0]
PEERS = [
    entry
    for entry in catalogue.read()
    if entry.family in ("peers", "allocators")
    and not entry.language()
    and not entry.quick
    and entry.built_with([COMPILER])
]


# What all sources of a probe begin with: read once for all of them.
COMMON = """
#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <memory_resource>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the lists of workloads, and a precompiled header."""
    folder = tmp_path_factory.mktemp("generated")
    lists = [folders.WORKLOADS, folders.STRATEGIES, folder / "registry"]
    subprocess.run([sys.executable, folders.PROBES / "lists.py", *lists], check=True)
    (folder / "common.hpp").write_text(COMMON)
    assert check(folder, "-x", "c++-header", folder / "common.hpp", "-o", folder / "common.hpp.gch") == ""
    return folder


def check(folder, *arguments):
    """Returns what the compiler says."""
    include = [f"-I{folders.PROBES}", f"-I{folders.ROOT / 'include'}", f"-I{folder}"]
    command = [COMPILER.path, "-std=c++20", "-Winvalid-pch", *include, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    return f"{done.stderr}exit {done.returncode}" if done.returncode else done.stderr


@pytest.mark.parametrize("entry", PEERS, ids=lambda entry: entry.name)
def test_a_peer_of_a_whole_run_compiles(entry, folder):
    if not entry.is_here([COMPILER]):
        pytest.skip(entry.strategy([COMPILER]).note)
    form = "memory" if entry.family == "allocators" else "owned"
    source = folder / f"{entry.name}.cpp"
    source.write_text("".join(f'#include "{folders.PROBES}/{part}.cpp"\n' for part in ("probe", "only_whole")))
    defined = {
        "STRATEGY_NAME": entry.name,
        "STRATEGY_HEADER": f"strategies/{entry.family}/{entry.name}.hpp",
        "WORKLOADS_HEADER": f"registry/{form}.hpp",
        "ONLY_WHOLE_HEADER": f"registry/{form}_only_whole.hpp",
    }
    names = [f'-DFREEHOLD_{name}="{value}"' for name, value in defined.items()]
    options = shlex.split(entry.all_options())
    common = [] if options else ["-include", "common.hpp"]
    assert check(folder, *options, *common, "-fsyntax-only", *names, source) == ""
