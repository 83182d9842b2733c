"""`./freehold test`: every CMake preset that tests, then pytest. A failure stops nothing: the end says what failed."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from freehold_lab import catalogue, folders, process
from freehold_lab.errors import LabError, say

# Run only if they are named: libcxx, asan and tsan are clang++ as well. Half an hour on two processors is room for no
# more.
ONLY_BY_NAME = ("clang",)

# Run only if they are named, or all that is slow is asked for.
ONLY_LONG = ("gcc12", "clang16", "clang16-libcxx")


def check(names: list[str]) -> None:
    """Raises LabError for the first of `names` that no test preset has."""
    catalogue.check("preset", names, presets())


def needs(names: list[str], long: bool) -> list[str]:
    """Returns the commands, as debian-packages.toml calls them, whose packages a test of these presets needs."""
    return ["test", "test --long"] if long or any(name in ONLY_LONG for name in names) else ["test"]


def test(names: list[str], pattern: str, long: bool = False) -> int:
    """Runs the presets called `names` or, without names, all but those ONLY_BY_NAME and, unless `long`, ONLY_LONG; and
    the Python tests.

    With a `pattern`, only the C++ tests whose names match it. Returns the exit code.
    """
    chosen = names or _by_default(long)
    skipped = {name: reason for name in chosen if (reason := _reason_to_skip(name))}
    for name, reason in skipped.items():
        if names:
            raise LabError(f"{name} cannot be tested: {reason}")
        say(f"{name} is skipped: {reason}")
    passed = {name: _test_preset(name, pattern) for name in chosen if name not in skipped}
    if not names and not pattern:
        passed["pytest"] = _test_python()
    for name, good in passed.items():
        print(f"{name}: {'passed' if good else 'FAILED'}", flush=True)
    return 0 if all(passed.values()) else 1


def presets() -> list[str]:
    """Returns the names of the test presets; configure and build presets of these names exist as well."""
    listed = json.loads(folders.PRESETS.read_text())["testPresets"]
    return [preset["name"] for preset in listed if not preset.get("hidden")]


def _by_default(long: bool) -> list[str]:
    return [name for name in presets() if name not in ONLY_BY_NAME and (long or name not in ONLY_LONG)]


def _reason_to_skip(name: str) -> str:
    """Says why a preset for one version of a compiler tests nothing here, or nothing new."""
    if name not in ONLY_LONG:
        return ""
    options = _options(name)
    compiler = options.get("FREEHOLD_CLANG") or options["CMAKE_CXX_COMPILER"]
    path = shutil.which(compiler)
    if not path:
        return f"there is no {compiler} here (Debian 12 has it, later ones may not)"
    for folder in re.findall(r"build/debian/([^/]+)", options.get("CMAKE_CXX_FLAGS", "")):
        if not (folders.BUILD / "debian" / folder).exists():
            return f"there is no {folder} under build/debian"
    usual = shutil.which("g++")
    if options == {"CMAKE_CXX_COMPILER": compiler} and usual and Path(usual).resolve() == Path(path).resolve():
        return f"{compiler} is the g++ of the preset gcc"
    return ""


def _options(name: str) -> dict[str, str]:
    """Returns the options that the configure preset itself has, without what it inherits."""
    listed = json.loads(folders.PRESETS.read_text())["configurePresets"]
    return next(preset["cacheVariables"] for preset in listed if preset["name"] == name)


def _test_preset(name: str, pattern: str) -> bool:
    print(f"== {name}", flush=True)
    folder = folders.BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    log.write_text("")
    for command in (["cmake", "--preset", name], ["cmake", "--build", "--preset", name]):
        if process.log(command, log, folder=folders.ROOT) != 0:
            print(*log.read_text().splitlines()[-40:], sep="\n")
            say(f"{' '.join(command)} failed (all it printed is in {log})")
            return False
    chosen = ["--tests-regex", pattern] if pattern else []
    return _succeeds(["ctest", "--preset", name, "--no-tests=error", *chosen])


def _test_python() -> bool:
    print("== pytest", flush=True)
    return _succeeds([sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal"])


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, cwd=folders.ROOT).returncode == 0
