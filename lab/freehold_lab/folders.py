"""Where things are: in the source tree, or in the installed package, which has a part of it in `tree`."""

import hashlib
import os
from pathlib import Path

from freehold_lab.errors import LabError

PACKAGED = Path(__file__).resolve().parent / "tree"
IS_PACKAGE = PACKAGED.is_dir()
ROOT = PACKAGED if IS_PACKAGE else Path(__file__).resolve().parents[2]
VERSION = ROOT / "include" / "freehold" / "core" / "version.hpp"


def _cache() -> Path:
    """Returns where the installed command builds: a package is not written to. CMake wants one folder for each place
    that it builds from."""
    place = hashlib.sha256(bytes(PACKAGED)).hexdigest()[:8]
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "freehold" / place


BUILD = _cache() if IS_PACKAGE else ROOT / "build"
LAB_BUILD = BUILD / "lab"
RESULTS = Path("results") if IS_PACKAGE else ROOT / "results"
PROBES = ROOT / "lab" / "probes"
WORKLOADS = ROOT / "lab" / "workloads.toml"
STRATEGIES = ROOT / "lab" / "strategies.toml"
NEEDS = ROOT / "lab" / "needs.toml"
PACKAGES = ROOT / "packaging" / "debian-packages.toml"
DEBUGGER = ROOT / "include" / "freehold" / "diagnosis" / "debugger"
SITE = BUILD / "docs"
WATCH = ROOT / "tests" / "watch"
PRESETS = ROOT / "CMakePresets.json"


def expect_source_tree(command: str) -> None:
    """Raises LabError in the installed package, for a command that is for work on Freehold itself."""
    if IS_PACKAGE:
        raise LabError(f"{command} works in Freehold's source tree alone, as ./freehold {command}")
