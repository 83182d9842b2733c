"""Prints what ./freehold switch does to programs that nobody here wrote, and their tests before and after:

    build/python/bin/python tests/lab/switched_programs.py FOLDER [NAME...]

FOLDER gets their sources, which are downloaded unless they are there, and what is built. For the programs see
switched_programs.toml.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).with_suffix(".toml")
PASSED = re.compile(
    r"tests passed, \d+ tests failed out of (\d+)|PASS \((\d+)\)|(\d+) program passed"
    r"|All tests passed \(\d+ assertions in (\d+) test cases\)"
)
SUMMARY = re.compile(r"(\d+) files changed: (\d+) names, (\d+) crossings; (\d+) left$")


class Program:
    def __init__(self, folder: Path, name: str, entry: dict) -> None:
        self.name = name
        self.entry = entry
        self.source = folder / name
        self.build = folder / "build" / name

    def row(self) -> str:
        """Builds and tests it, switches it, builds and tests it again. Returns its row of the table."""
        self._fetch(self.entry["repository"], self.entry["commit"], self.source)
        for place, other in self.entry.get("with", {}).items():
            self._fetch(*other.split(), self.source / place)
        edits = self.entry.get("edits", {})
        for file, command in edits.items():
            subprocess.run(["sed", "-i", command, self.source / file], check=True)
        before = self._test()
        options = self.entry.get("options", "--build $BUILD").replace("$SOURCE", str(self.source))
        files, names, crossings, left = self._switch(options.replace("$BUILD", str(self.build)).split())
        after = self._test()
        figures = (self.entry["commit"][:8], files, names, crossings, left, len(edits), before, after)
        return f"| {self.name} | {' | '.join(map(str, figures))} |"

    def _fetch(self, repository: str, commit: str, to: Path) -> None:
        if not (to / ".git").exists():
            to.mkdir(parents=True, exist_ok=True)
            git(to, "init")
            git(to, "fetch", "--depth=1", f"https://github.com/{repository}", commit)
        git(to, "checkout", "--force", commit)

    def _test(self) -> str:
        """Builds it, and returns how many tests passed, or that they failed."""
        cmake = f"cmake -G Ninja -S {self.source} -B {self.build} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
        variables = {
            "SOURCE": str(self.source),
            "BUILD": str(self.build),
            "CMAKE": f"{cmake} -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_FLAGS=-O0",
            "CTEST": f"ctest --test-dir {self.build}",
            "CPLUS_INCLUDE_PATH": str(ROOT / "include"),
        }
        command = f"set -e\n{self.entry['build']}\n{self.entry['test']}"
        done = subprocess.run(["bash", "-c", command], env=os.environ | variables, capture_output=True, text=True)
        (self.build.parent / f"{self.name}.log").write_text(done.stdout + done.stderr)
        found = PASSED.search(done.stdout)
        return "".join(each or "" for each in found.groups()) if found and done.returncode == 0 else "failed"

    def _switch(self, options: list[str]) -> tuple[str, ...]:
        done = subprocess.run(
            [ROOT / "freehold", "switch", self.source, "--write", "--force", *options], capture_output=True, text=True
        )
        (self.build.parent / f"{self.name}.report").write_text(done.stdout + done.stderr)
        return SUMMARY.search(done.stdout.strip()).groups()


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True)


def main() -> None:
    folder, *names = sys.argv[1:]
    print("| program | commit | files | names | crossings | left | by hand | tests before | after |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, entry in tomllib.loads(PROGRAMS.read_text()).items():
        if not names or name in names:
            print(Program(Path(folder).resolve(), name, entry).row(), flush=True)


if __name__ == "__main__":
    main()
