"""Compares the names of all tests of two trees that are built: tests of the first that the second has not are printed.

    build/python/bin/python tests/names.py OLD NEW

OLD and NEW are roots of the project, with presets built in build/PRESET. Compared are the tests of CTest and of
GoogleTest with all their instantiations, by preset, and those of pytest. The exit code is 1 if a name is missing, and 2
if a preset of OLD is not built in NEW.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def main(old: Path, new: Path) -> int:
    missing = 0
    for preset in presets(old):
        if not (old / "build" / preset / "build.ninja").exists():
            continue
        if not (new / "build" / preset / "build.ninja").exists():
            print(f"{preset} is not built in {new}", file=sys.stderr)
            return 2
        missing += told(preset, set(of_preset(old / "build" / preset)), set(of_preset(new / "build" / preset)))
    missing += told("pytest", set(of_pytest(old)), set(of_pytest(new)))
    return 1 if missing else 0


def presets(root: Path) -> list[str]:
    listed = json.loads((root / "CMakePresets.json").read_text())["testPresets"]
    return [preset["name"] for preset in listed if not preset.get("hidden")]


def told(kind: str, old: set[str], new: set[str]) -> int:
    """Prints what `new` lacks, and returns how much that is."""
    print(*(f"{kind}: {name}" for name in sorted(old - new)), sep="\n", end="\n" if old - new else "")
    print(f"{kind}: {len(old)} names before, {len(new)} now, {len(old - new)} missing", file=sys.stderr)
    return len(old - new)


def of_preset(build: Path) -> Iterator[str]:
    listed = json.loads(output("ctest", "--test-dir", build, "--show-only=json-v1"))
    programs = set()
    for test in listed["tests"]:
        yield test["name"]
        command = test.get("command", [])
        if any(argument.startswith("--file=") for argument in command):
            programs.add(command[0])
    for program in sorted(programs):
        suite = ""
        for line in output(program, "--gtest_list_tests").splitlines():
            name = line.partition("#")[0].rstrip()
            if line.startswith(" "):
                yield f"{suite}{name.strip()}"
            elif name.endswith("."):
                suite = name


def of_pytest(root: Path) -> Iterator[str]:
    python = root / "build/python/bin/python"
    for line in output(python, "-m", "pytest", "--collect-only", "-q", folder=root).splitlines():
        if "::" in line:
            yield line


def output(*command: str | Path, folder: Path | None = None) -> str:
    return subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
