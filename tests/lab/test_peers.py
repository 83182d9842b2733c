"""The strategies that no other test builds compile: with the first compiler, without making code of it."""

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
    and entry.needs not in catalogue.LANGUAGES
    and not entry.quick
    and entry.built_with([COMPILER])
]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """A folder with the lists of workloads."""
    folder = tmp_path_factory.mktemp("generated")
    command = [sys.executable, folders.PROBES / "lists.py", folders.WORKLOADS, folder / "registry"]
    subprocess.run(command, check=True)
    return folder


@pytest.mark.parametrize("entry", PEERS, ids=lambda entry: entry.name)
def test_a_peer_of_a_whole_run_compiles(entry, generated):
    if not entry.is_here([COMPILER]):
        pytest.skip(f"{entry.needs} is not installed")
    form = "memory" if entry.family == "allocators" else "owned"
    command = [
        *(COMPILER.path, "-std=c++20", "-fsyntax-only", *entry.options.split()),
        *(f"-I{folders.PROBES}", f"-I{folders.ROOT / 'include'}", f"-I{generated}"),
        f'-DFREEHOLD_STRATEGY_NAME="{entry.name}"',
        f'-DFREEHOLD_STRATEGY_HEADER="strategies/{entry.family}/{entry.name}.hpp"',
        f'-DFREEHOLD_WORKLOADS_HEADER="registry/{form}.hpp"',
        f'-DFREEHOLD_ONLY_WHOLE_HEADER="registry/{form}_only_whole.hpp"',
        *(str(folders.PROBES / f"{part}.cpp") for part in ("probe", "only_whole")),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
