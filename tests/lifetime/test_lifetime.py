"""How many of 40 dangling uses each compiler reports, as the page says, and that none is reported that is sound."""

import re
import subprocess
from pathlib import Path

import pytest

from freehold_lab.setup import environment

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PAGE = ROOT / "docs/guide/sanitizers-valgrind-debuggers.md"
ROW = re.compile(r"^\| `(?P<compiler>[\w+-]+)` \| (?P<found>\d+) \|", re.MULTILINE)

RECORDED = {row["compiler"]: int(row["found"]) for row in ROW.finditer(PAGE.read_text())}


@pytest.fixture(params=environment.compilers(), ids=lambda compiler: compiler.name)
def compiler(request):
    return request.param


def reported(compiler, name):
    """Returns the lines of a file with at least one warning."""
    options = "-std=c++20 -O2 -Wall -Wextra -c -o /dev/null".split()
    command = [compiler.path, *options, "-I", ROOT / "include", HERE / name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(re.findall(rf"{name}:(\d+):\d+: warning", done.stderr))


def test_dangling_uses_are_reported_as_the_page_says(compiler):
    if compiler.name not in RECORDED:
        pytest.skip(f"the page says nothing of {compiler.name}")
    assert len(reported(compiler, "dangling.cpp")) == RECORDED[compiler.name]


def test_no_sound_use_is_reported(compiler):
    assert reported(compiler, "sound.cpp") == set()


@pytest.mark.parametrize(("name", "uses"), [("dangling.cpp", 40), ("sound.cpp", 20)])
def test_the_uses_are_as_many_as_the_page_says(name, uses):
    assert len(re.findall(r"^ +case \d+: ", (HERE / name).read_text(), re.MULTILINE)) == uses
