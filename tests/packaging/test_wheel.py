"""The command as a package: a wheel that is installed in a fresh environment works without the source tree."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile

import pytest

from consuming import ROOT, VERSION, run
from freehold_lab import amalgamating

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Runs the installed command in a folder of its own, and returns what it printed."""
    folder = tmp_path_factory.mktemp("wheel")
    own = ("PYTHONPATH", "FREEHOLD_STARTED")
    surroundings = {name: value for name, value in os.environ.items() if name not in own}
    surroundings["XDG_CACHE_HOME"] = str(folder / "cache")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT, env=surroundings)
    run(sys.executable, "-m", "venv", folder / "environment", env=surroundings)
    (wheel,) = folder.glob("*.whl")
    pins = [f"--constraint={ROOT / 'lab/requirements/lab.txt'}", "--only-binary=:all:"]
    run(folder / "environment/bin/pip", "--quiet", "install", *pins, wheel, env=surroundings)

    def freehold(*arguments, code=0, **settings):
        command = [folder / "environment/bin/freehold", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=surroundings | settings, timeout=600
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    freehold.folder = folder
    return freehold


def test_it_has_the_version_of_the_headers(installed):
    (wheel,) = installed.folder.glob("*.whl")
    assert wheel.name == f"freehold-{VERSION}-py3-none-any.whl"


def test_it_measures_and_reports(installed):
    # The laboratory needs what Debian has of it; the test of the source tree installs that.
    command = "run --quick --no-count --only reuse --strategy pool_resource --strategy new_delete --compiler g++"
    installed(*command.split())
    result = installed.folder / "results/latest.json"
    assert {each["name"] for each in json.loads(result.read_text())["strategies"]} == {"pool_resource", "new_delete"}
    assert "Request's arena" in installed("report", str(result))
    assert installed("compare", str(result), str(result))


def test_it_writes_single_headers(installed):
    installed("amalgamate", "single")
    assert {path.name for path in installed.folder.glob("single/freehold/*.hpp")} == set(amalgamating.PRODUCTS)


def test_it_reads_running_programs(installed):
    assert "--at-exit" in installed("owners", "--help")


def test_it_finds_what_debuggers_load(installed):
    line = installed("debugger", "--lldb")
    assert os.path.exists(line.split()[-1])


@pytest.mark.parametrize("command", ["test", "watch", "check", "docs"])
def test_what_works_on_freehold_itself_says_so(installed, command):
    assert "source tree alone" in installed(command, code=2)


def test_it_records_where_there_is_no_compiler(installed):
    (wheel,) = installed.folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        recorder = files.read("freehold_lab/tree/prebuilt/libfreehold-recorder.so")
    assert max(int(each) for each in re.findall(rb"GLIBC_2\.(\d+)", recorder)) <= 17
    assert " allocations of " in installed("advise", "--", sys.executable, "-c", "", PATH="/nowhere")


def test_what_an_extra_brings_is_asked_for(installed):
    assert "freehold[machines]" in installed("merge", "nothing.json", code=2)


def test_its_dependencies_are_those_of_the_laboratory():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {
        line
        for name in ("lab", "switch", "machines")
        for line in (ROOT / f"lab/requirements/{name}.in").read_text().splitlines()
        if line and not line.startswith(("#", "-"))
    }
    assert {*project["dependencies"], *project["optional-dependencies"]["machines"]} == named
