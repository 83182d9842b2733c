"""`./freehold test`: the check, CMake presets that test, the watch, then pytest. A failure stops nothing: the end says
what failed, and how long each part took."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

from freehold_lab import catalogue, changes, checking, folders, platforms, process, watch
from freehold_lab.errors import LabError, say


class Scope(IntEnum):
    """How much is tested. Each does all that the one before does, but for the preset QUICKEST."""

    ONCE = 0  # every test once, with g++
    FULL = 1  # with g++ optimized, with clang++ and under the sanitizers
    LONG = 2  # also what takes minutes each


# The preset that runs every C++ test once. Its compiler is that of the Python tests, too. FULL leaves it out: `gcc` is
# the same compiler, and `asan` is not optimized either.
QUICKEST = "unoptimized"

# Run only if they are named, or all that takes long is asked for: asan and tsan are clang++ as well, asan with libc++.
ONLY_LONG = ("gcc-optimized", "clang", "libcxx", "gcc12", "clang16", "clang16-libcxx")

# For other processors and systems: run only if they are named, or all by --platforms. FULL has a part of each.
PLATFORMS = tuple(platforms.NAMES)

# Set for tests that do more in a larger scope: FULL also in that of LONG.
FULL = "FREEHOLD_TEST_FULL"
LONG = "FREEHOLD_TEST_LONG"


def check(names: list[str]) -> None:
    """Raises LabError for the first of `names` that no test preset has."""
    catalogue.check("preset", names, presets())


def needs(names: list[str], scope: Scope) -> list[str]:
    """Returns the commands, as debian-packages.toml calls them, whose packages a test of these presets needs."""
    commands = ["test"]
    if scope >= Scope.FULL or any(name not in (QUICKEST, *PLATFORMS) for name in names):
        commands.append("test --full")
    if scope == Scope.LONG or any(name in ONLY_LONG for name in names):
        commands.append("test --long")
    if scope >= Scope.FULL or set(names) & set(PLATFORMS):
        commands.append("test --platforms")
    if platforms.WINDOWS in names:
        commands.append("test --preset windows")
    return commands


def test(names: list[str], pattern: str, scope: Scope = Scope.ONCE) -> int:
    """Runs the check, the presets called `names` or, if there are none, those of the scope, the watch, and the Python
    tests.

    With names or a `pattern`, only the C++ tests whose names match it. Returns the exit code.
    """
    for variable, least in ((FULL, Scope.FULL), (LONG, Scope.LONG)):
        if scope >= least:
            os.environ[variable] = "1"
    _use_ccache()
    usual = [name for name in presets() if name not in PLATFORMS]
    chosen = names or [name for name in usual if _is_in(name, scope)]
    skipped = {name: reason for name in chosen if (reason := _reason_to_skip(name))}
    for name, reason in skipped.items():
        if names:
            raise LabError(f"{name} cannot be tested: {reason}")
        say(f"{name} is skipped: {reason}")
    everything = not names and not pattern
    report = Report()
    if everything:
        report.run("check", checking.check)
    for name in chosen:
        if name not in skipped:
            _test_preset(report, name, pattern)
    if everything and scope >= Scope.FULL:
        for name in (each for each in presets() if each in PLATFORMS):
            _smoke(report, name)
    if everything:
        report.run("watch", watch.holds)
        report.run("pytest", _test_python)
    if everything and report.passed():
        changes.remember()
    return report.print()


def test_changed() -> int:
    """Builds and runs, under one preset, the tests that changes reach. Returns the exit code.

    The changes are those since the last test of everything that passed, or else since HEAD. The preset has been built
    before, or is built now.
    """
    _use_ccache()
    report = Report()
    name = QUICKEST
    folder = folders.BUILD / name
    if not (folder / "build.ninja").exists():
        _build(name, [])
    reached = changes.reached(folder)
    print(f"{len(reached.tests)} C++ tests and {len(reached.python)} Python files are reached", flush=True)
    built = not reached.targets or report.run(f"{name}: build", lambda: _build(name, reached.targets))
    if built and reached.tests:
        report.run(f"{name}: tests", lambda: _succeeds(["ctest", "--preset", name, *_only(reached.tests)]))
    if reached.watch:
        report.run("watch", watch.holds)
    if reached.python:
        report.run("pytest", lambda: _test_python(reached.python))
    return report.print()


class Report:
    """What has been run, whether it passed, and how long it took."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, bool, float]] = []

    def run(self, name: str, part: Callable[[], bool]) -> bool:
        started = time.monotonic()
        passed = part()
        self._parts.append((name, passed, time.monotonic() - started))
        return passed

    def passed(self) -> bool:
        return all(passed for _, passed, _ in self._parts)

    def print(self) -> int:
        """Prints a line for each part, and returns the exit code."""
        for name, passed, seconds in self._parts:
            print(f"{name}: {'passed' if passed else 'FAILED'}, {_duration(seconds)}")
        print(f"all: {_duration(sum(seconds for *_, seconds in self._parts))}", flush=True)
        return 0 if self.passed() else 1


def _duration(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60} s" if seconds >= 60 else f"{seconds:.1f} s"


def _use_ccache() -> None:
    """Lets the presets compile through ccache where it is installed, unless the user has chosen."""
    if shutil.which("ccache"):
        os.environ.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
        # Without these ccache leaves alone what includes a precompiled header.
        os.environ.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros,include_file_mtime,include_file_ctime")


def _only(tests: list[str]) -> list[str]:
    names = "|".join(name.replace(".", "[.]") for name in tests)
    return ["--no-tests=error", "--tests-regex", f"^({names})$"]


def presets() -> list[str]:
    """Returns the names of the test presets; configure and build presets of these names exist as well."""
    listed = json.loads(folders.PRESETS.read_text())["testPresets"]
    return [preset["name"] for preset in listed if not preset.get("hidden")]


def _is_in(name: str, scope: Scope) -> bool:
    """Says whether a preset runs in the scope without being named."""
    if name == QUICKEST:
        return scope != Scope.FULL
    return scope >= (Scope.LONG if name in ONLY_LONG else Scope.FULL)


def _reason_to_skip(name: str) -> str:
    """Says why a preset for one version of a compiler tests nothing here, or nothing new."""
    if name not in (*ONLY_LONG, *PLATFORMS):
        return ""
    options = _options(name)
    if name in PLATFORMS:
        return platforms.missing(name, options)
    compiler = options.get("FREEHOLD_CLANG") or options.get("CMAKE_CXX_COMPILER")
    if not compiler:
        return ""
    path = shutil.which(compiler)
    if not path:
        return f"there is no {compiler} here (Debian 12 has it, later ones may not)"
    for folder in re.findall(r"build/debian/([^/]+)", options.get("CMAKE_CXX_FLAGS", "")):
        if not (folders.BUILD / "debian" / folder).exists():
            return f"there is no {folder} under build/debian"
    usual = shutil.which("g++")
    if options == {"CMAKE_CXX_COMPILER": compiler} and usual and Path(usual).resolve() == Path(path).resolve():
        return f"{compiler} is the g++ of gcc-optimized"
    return ""


def _options(name: str) -> dict[str, str]:
    """Returns the options that the configure preset itself has, without what it inherits."""
    listed = json.loads(folders.PRESETS.read_text())["configurePresets"]
    return next(preset.get("cacheVariables", {}) for preset in listed if preset["name"] == name)


def _test_preset(report: Report, name: str, pattern: str) -> None:
    print(f"== {name}", flush=True)
    chosen = ["--tests-regex", pattern] if pattern else []
    if report.run(f"{name}: build", lambda: _build(name, [])):
        report.run(f"{name}: tests", lambda: _succeeds(["ctest", "--preset", name, "--no-tests=error", *chosen]))
        if name in PLATFORMS and not pattern:
            platforms.record(name)


def _smoke(report: Report, name: str) -> None:
    """Builds and runs a little of a platform, if its tools are here."""
    if reason := _reason_to_skip(name):
        say(f"{name} is skipped: {reason}")
        return
    chosen = ["--no-tests=error", "--tests-regex", platforms.SMOKE_TESTS]
    report.run(
        f"{name}: smoke",
        lambda: _build(name, list(platforms.SMOKE_TARGETS)) and _succeeds(["ctest", "--preset", name, *chosen]),
    )


def _build(name: str, targets: list[str]) -> bool:
    """Configures a preset and builds it, or some of its targets. Shows what was printed if that fails."""
    folder = folders.BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    log.write_text("")
    chosen = ["--target", *targets] if targets else []
    for command in (["cmake", "--preset", name], ["cmake", "--build", "--preset", name, *chosen]):
        if process.log(command, log, folder=folders.ROOT) != 0:
            print(*log.read_text().splitlines()[-40:], sep="\n")
            say(f"{' '.join(command)} failed (all it printed is in {log})")
            return False
    return True


def _test_python(chosen: list[str] | None = None) -> bool:
    print("== pytest", flush=True)
    slowest = ["--durations=10", "--durations-min=10"]
    return _succeeds([sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", *slowest, *(chosen or [])])


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, cwd=folders.ROOT).returncode == 0
