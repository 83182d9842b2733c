"""Which files are rewritten."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Tree:
    root: Path
    outside: tuple[Path, ...]  # folders and files of the tree that are left as they are

    def has(self, file: Path) -> bool:
        return _has(self, file)


@cache
def _has(tree: Tree, file: Path) -> bool:
    return file.is_relative_to(tree.root) and not any(file.is_relative_to(part) for part in tree.outside)
