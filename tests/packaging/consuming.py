"""What the tests of packages share: the consumer, and how a tool is found, run and missed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONSUMER = Path(__file__).with_name("consumer")
VERSION = "0.2.0"


def run(*command, **settings):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, **settings)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def tool(name, package):
    """Returns the path of a program of the Python environment or else of the system; without it the test is skipped."""
    folders = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return shutil.which(name, path=folders) or pytest.skip(f"there is no {name} here: install {package}")
