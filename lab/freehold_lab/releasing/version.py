"""The version in the files of a tree: what names it is edited, and the changelog gets its date."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from freehold_lab import folders
from freehold_lab.errors import LabError

HEADER = folders.VERSION.relative_to(folders.ROOT)
CHANGELOG = Path("CHANGELOG.md")
UNRELEASED = "## [Unreleased]\n"
# They tell of versions that have been.
HISTORY = (str(CHANGELOG), "docs/decisions/")


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int
    patch: int

    @classmethod
    def read(cls, text: str) -> Self:
        if not (found := re.fullmatch(r"(\d+)\.(\d{1,2})\.(\d{1,2})", text)):
            raise LabError(f"{text} is no version: write MAJOR.MINOR.PATCH, the last two below 100")
        return cls(*map(int, found.groups()))

    @classmethod
    def of(cls, tree: Path) -> Self:
        return cls.read(re.findall(r'FREEHOLD_VERSION "(.+)"', (tree / HEADER).read_text())[0])

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def number(self) -> int:
        """FREEHOLD_VERSION_NUMBER."""
        return 10000 * self.major + 100 * self.minor + self.patch

    @property
    def series(self) -> str:
        """What `find_package` asks for."""
        return f"{self.major}.{self.minor}"

    @property
    def namespace(self) -> str:
        """The inline namespace. Versions that differ in the last number alone share it."""
        return f"v{self.major}_{self.minor}"


def raise_to(version: Version, tree: Path) -> None:
    """Writes `version` into all files of the git repository `tree` that name the version it has."""
    old = Version.of(tree)
    replacements = [
        (rf"(?<![\d.]){re.escape(str(old))}(?![\d.])", str(version)),
        (rf"(?<=freehold ){re.escape(old.series)}(?![\d.])", version.series),
        (rf"(?<=This is version ){re.escape(old.series)}(?!\.?\d)", version.series),
        (rf"(?<![A-Za-z0-9]){old.namespace}(?!\d)", version.namespace),
        (rf"(?<=FREEHOLD_VERSION_NUMBER ){old.number}\b", str(version.number)),
    ]
    for name in _tracked(tree):
        if name.startswith(HISTORY) or not (tree / name).is_file():
            continue
        try:
            text = (tree / name).read_text()
        except UnicodeDecodeError:  # a picture
            continue
        edited = text
        for pattern, replacement in replacements:
            edited = re.sub(pattern, replacement, edited)
        if edited != text:
            (tree / name).write_text(edited)


def date_changes(version: Version, date: str, tree: Path) -> None:
    """Makes what is unreleased the changes of `version`."""
    text = (tree / CHANGELOG).read_text()
    changes = text.partition(UNRELEASED)[2].partition("\n## ")[0]
    if not changes.strip():
        raise LabError(f"{CHANGELOG} has nothing under Unreleased")
    (tree / CHANGELOG).write_text(text.replace(UNRELEASED, f"{UNRELEASED}\n## {version} - {date}\n", 1))


def _tracked(tree: Path) -> list[str]:
    command = ["git", "-C", str(tree), "ls-files", "-z"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
