"""The GitHub Action: its steps, as a runner would carry them out."""

import os
import subprocess

import pytest
import yaml

from freehold_lab import folders

FAKE = """#!/bin/sh
echo "$@" >> asked
case "$1" in
run) mkdir -p .freehold/results; echo new > .freehold/results/latest.json;;
compare) echo "3 figures are worse"; exit "$(cat "$2")";;
esac
"""


@pytest.fixture
def steps():
    return {
        step["id"]: step
        for step in yaml.safe_load((folders.ROOT / "action.yml").read_text())["runs"]["steps"]
        if "id" in step
    }


@pytest.fixture
def carry_out(steps, tmp_path):
    (tmp_path / "freehold").write_text(FAKE)
    (tmp_path / "freehold").chmod(0o755)
    (tmp_path / ".freehold").mkdir()
    variables = {
        "GITHUB_ACTION_PATH": tmp_path,
        "GITHUB_STEP_SUMMARY": tmp_path / "summary",
        "ARGUMENTS": "--only pair",
    }

    def carry_out(name):
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[name]["run"]]
        return subprocess.run(command, cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True)

    return carry_out


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_exit_code_of_compare_decides(carry_out, tmp_path, code):
    (tmp_path / ".freehold/base.json").write_text(str(code))
    assert carry_out("measure").returncode == 0
    assert carry_out("compare").returncode == code
    assert (tmp_path / "asked").read_text().splitlines() == [
        "run --quick --output .freehold/results --only pair",
        "compare .freehold/base.json .freehold/results/latest.json --fail-on counts",
    ]
    assert "3 figures are worse" in (tmp_path / "summary").read_text()
    assert (tmp_path / ".freehold/base.json").read_text() == "new\n"


def test_the_first_result_is_compared_with_nothing(carry_out, tmp_path):
    carry_out("measure")
    assert carry_out("compare").returncode == 0
    assert "nothing was compared" in (tmp_path / "summary").read_text()
    assert (tmp_path / ".freehold/base.json").read_text() == "new\n"


def test_a_run_that_fails_is_no_result(carry_out, tmp_path):
    (tmp_path / "freehold").write_text("#!/bin/sh\nexit 2\n")
    assert carry_out("measure").returncode == 2
