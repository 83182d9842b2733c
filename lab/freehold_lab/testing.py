"""`./freehold test`: every CMake preset that tests, then pytest. A failure stops nothing: the end says what failed."""

import json
import subprocess
import sys

from freehold_lab import catalogue, folders, process
from freehold_lab.messages import say


# Run only if they are named: libcxx, asan and tsan are clang++ as well. Half an hour on two processors is room for no
# more.
ONLY_BY_NAME = ("clang",)


def check(names: list[str]) -> None:
    """Raises LabError for the first of `names` that no test preset has."""
    catalogue.check("preset", names, presets())


def test(names: list[str], pattern: str) -> int:
    """Runs the presets called `names` or, if there are none, all but those ONLY_BY_NAME, and the Python tests.

    With a `pattern`, only the C++ tests whose names match it. Returns the exit code.
    """
    passed = {name: _test_preset(name, pattern) for name in names or _by_default()}
    if not names and not pattern:
        passed["pytest"] = _test_python()
    for name, good in passed.items():
        print(f"{name}: {'passed' if good else 'FAILED'}", flush=True)
    return 0 if all(passed.values()) else 1


def presets() -> list[str]:
    """Returns the names of the test presets; configure and build presets of these names exist as well."""
    listed = json.loads(folders.PRESETS.read_text())["testPresets"]
    return [preset["name"] for preset in listed if not preset.get("hidden")]


def _by_default() -> list[str]:
    return [name for name in presets() if name not in ONLY_BY_NAME]


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
