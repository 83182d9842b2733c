"""What peers need that no Debian package has: the user installs it, or says where it is."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from freehold_lab import process

OLDEST_GO = (1, 26)


@dataclass(frozen=True)
class Tool:
    """What was found; `lacking` says what to do where it was not, or is too old, and is empty else."""

    version: str = ""
    path: str = ""
    lacking: str = ""


def go() -> Tool:
    path = shutil.which("go") or ""
    wanted = f"install Go {'.'.join(map(str, OLDEST_GO))} or newer"
    found = re.search(r"\bgo((\d+)\.(\d+)\S*)", process.capture(path, "version") or "") if path else None
    if not found:
        return Tool(lacking=wanted)
    old = (int(found[2]), int(found[3])) < OLDEST_GO
    return Tool(found[1], path, f"Go {found[1]} is too old: {wanted}" if old else "")


# By what strategies.toml calls them.
TOOLS: dict[str, Callable[[], Tool]] = {"go": go}
