"""What has changed since the last test of everything that passed, and which tests that reaches.

The tests of a C++ source are run if the source, or a header that it includes by whatever way, has changed: the compiler
noted the headers when the build was last made. A file that has no such notes, as a new one, reaches its own tests.
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from freehold_lab import folders

SUITES = ("unit", "contracts", "death", "exceptions", "concurrency")
SPLIT_SUITES = ("unit", "contracts")  # a program for each of their folders
PYTHON = "tests/**/test_*.py"
WATCHED = re.compile("include/|tests/watch/")
PAGES = "tests/docs/test_code_blocks.py"  # compiles the code of every page


@dataclass
class Reached:
    """Names for ctest, targets for the build, files for pytest, and whether what is watched."""

    tests: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    python: list[str] = field(default_factory=list)
    watch: bool = False


def remember() -> None:
    """Notes that every test passes as the tree is now."""
    if commit := _git("rev-parse", "HEAD"):
        _stamp().write_text(commit[0])


def changed() -> set[str]:
    """Returns the files that differ from the commit of the last test of everything that passed, or else from HEAD."""
    stamp = _stamp()
    tested = stamp.read_text() if stamp.exists() else "HEAD"
    base = tested if _git("cat-file", "-e", f"{tested}^{{commit}}") is not None else "HEAD"
    return {*(_git("diff", "--name-only", base) or []), *(_git("ls-files", "--others", "--exclude-standard") or [])}


def reached(build: Path) -> Reached:
    """Returns what the changes reach, among the targets built in the folder `build`."""
    differing = changed()
    found = Reached(python=_python_tests(differing), watch=any(map(WATCHED.match, differing)))
    for source, headers in _sources(build).items():
        if source in differing or headers & differing:
            test, target = _names(source)
            found.tests.append(test)
            found.targets.append(target)
    for source in sorted(differing):
        if source.startswith("tests/compile_fail/") and source.endswith(".cpp"):
            found.tests.append(source.removeprefix("tests/"))
            found.targets.append("compile_fail_precompiled")
        if source.startswith("include/") and "/detail/" not in source and (folders.ROOT / source).exists():
            found.targets.append(f"tests/headers_alone/{source.removeprefix('include/')}")
    found.tests, found.targets = sorted(set(found.tests)), sorted(set(found.targets))
    return found


def _sources(build: Path) -> dict[str, set[str]]:
    """Returns the sources of tests with the headers that each includes, all relative to the tree."""
    tests = folders.ROOT / "tests"
    own = [
        *(source for suite in SUITES for source in (tests / suite).rglob("*.cpp")),
        *(tests / "builds").glob("with*.cpp"),
    ]
    found: dict[str, set[str]] = {_relative(str(source)): set() for source in own}
    for block in _run(["ninja", "-C", str(build), "-t", "deps"]).split("\n\n"):
        names = {
            _relative(line.strip()) for line in block.splitlines()[1:] if line.strip().startswith(str(folders.ROOT))
        }
        # Several sources may have been compiled as one, which does not make them headers of each other.
        for source in names & found.keys():
            found[source] |= names - found.keys()
    return found


def _names(source: str) -> tuple[str, str]:
    """Returns what ctest and the build call the tests of a source under tests/."""
    test = source.removeprefix("tests/").removesuffix(".cpp")
    parts = test.split("/")
    if parts[0] == "builds":
        return test, parts[1]
    return test, "_".join(parts[:2]) if parts[0] in SPLIT_SUITES else parts[0]


def _python_tests(differing: set[str]) -> list[str]:
    """Returns the tests in Python that have changed, or are called as a module that has; those of pages that have."""
    called = {path.stem.removeprefix("test_"): path for path in folders.ROOT.glob(PYTHON)}
    chosen = {
        called[Path(name).stem.removeprefix("test_")]
        for name in differing
        if name.endswith(".py") and Path(name).stem.removeprefix("test_") in called
    }
    pages = {PAGES for name in differing if name.endswith(".md")}
    return sorted({_relative(str(path)) for path in chosen} | pages)


def _relative(path: str) -> str:
    return path.removeprefix(f"{folders.ROOT}/")


def _stamp() -> Path:
    return folders.BUILD / "tested-commit"


def _git(*arguments: str) -> list[str] | None:
    try:
        return _run(["git", *arguments]).splitlines()
    except (OSError, subprocess.CalledProcessError):
        return None


def _run(command: list[str]) -> str:
    return subprocess.run(command, cwd=folders.ROOT, capture_output=True, text=True, check=True).stdout
