"""Where things are in the source tree."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LAB_BUILD = BUILD / "lab"
RESULTS = ROOT / "results"
PROBES = ROOT / "lab" / "probes"
WORKLOADS = ROOT / "lab" / "workloads.toml"
STRATEGIES = ROOT / "lab" / "strategies.toml"
NEEDS = ROOT / "lab" / "needs.toml"
PACKAGES = ROOT / "packaging" / "debian-packages.toml"
DEBUGGER = ROOT / "include" / "freehold" / "diagnosis" / "debugger"
SITE = BUILD / "docs"
VERSION = ROOT / "include" / "freehold" / "core" / "version.hpp"
WATCH = ROOT / "tests" / "watch"
PRESETS = ROOT / "CMakePresets.json"
