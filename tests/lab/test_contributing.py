"""The worked example of CONTRIBUTING.md: the file and the line that stand there make a strategy that is measured."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()


def block(language):
    (only,) = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    return only


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_a_strategy_is_one_file_and_one_line(tmp_path):
    ((name, line),) = tomllib.loads(block("toml")).items()
    strategy = f"{line['family']}/{name}"
    header = f"lab/probes/strategies/{strategy}.hpp"
    assert header in GUIDE

    lab = tmp_path / "lab"
    shutil.copytree(ROOT / "lab", lab, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "include").symlink_to(ROOT / "include")
    (tmp_path / header).write_text(block("cpp"))
    with (lab / "strategies.toml").open("a") as strategies:
        strategies.write(block("toml"))

    names = "from freehold_lab import catalogue; print(*(entry.name for entry in catalogue.read()))"
    assert name in run(sys.executable, "-c", names, cwd=lab).split()

    build = tmp_path / "build"
    strategies = f"{strategy};peers/std_shared_ptr"
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_UNITY_BUILD=ON"]  # it is compiled sooner, and does the same
    run("cmake", "-G", "Ninja", "-S", lab / "probes", "-B", build, f"-DFREEHOLD_LAB_STRATEGIES={strategies}", *options)
    run("cmake", "--build", build)
    measured, reference = (
        json.loads(run(build / f"probe_{each}", "time", "operations")) for each in (name, "std_shared_ptr")
    )
    assert measured["checksum"] == reference["checksum"]
    assert all(point["nanoseconds"] > 0 for point in measured["points"])
