"""What a program is given, kept for each of its runs."""

import shutil
import sys
from pathlib import Path


def keep(folder: Path) -> Path | None:
    """Returns a file with what is piped to this command."""
    if sys.stdin.isatty():
        return None
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path
