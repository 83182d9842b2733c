"""What peers need that no Debian package has: the user installs it, or says where it is."""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from freehold_lab import process

OLDEST_GO = (1, 26)
SGCL = "FREEHOLD_SGCL"  # a variable of the environment, which names a source tree


@dataclass(frozen=True)
class Tool:
    """What was found, and the options that have a compiler use it. `lacking` says what to do where it is missing or too
    old, and is empty else."""

    version: str = ""
    path: str = ""
    lacking: str = ""
    options: str = ""


def go() -> Tool:
    path = shutil.which("go") or ""
    wanted = f"install Go {'.'.join(map(str, OLDEST_GO))} or newer"
    found = re.search(r"\bgo((\d+)\.(\d+)\S*)", process.capture(path, "version") or "") if path else None
    if not found:
        return Tool(lacking=wanted)
    old = (int(found[2]), int(found[3])) < OLDEST_GO
    return Tool(found[1], path, f"Go {found[1]} is too old: {wanted}" if old else "")


def sgcl() -> Tool:
    tree = Path(os.environ.get(SGCL) or os.devnull).absolute()
    if not (tree / "sgcl" / "sgcl.h").exists():
        return Tool(lacking=f"set {SGCL} to a source tree of SGCL")
    described = process.capture(
        *("git", f"--git-dir={tree / '.git'}", f"--work-tree={tree}"),
        *("describe", "--always", "--exclude=*", "--abbrev=12", "--dirty"),
    )
    commit = described.strip() if described else "unknown"
    options = f"-isystem {shlex.quote(str(tree))} -DFREEHOLD_SGCL_COMMIT={commit}"
    return Tool(commit, str(tree), options=options)


# By what strategies.toml calls them.
TOOLS: dict[str, Callable[[], Tool]] = {"go": go, "sgcl": sgcl}
