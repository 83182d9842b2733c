"""What the user gives: the input of the program, kept for each of its runs, and leave to run it again."""

import shutil
import sys
from pathlib import Path

import typer

SLOWER = 40  # times, under valgrind


def keep(folder: Path) -> Path | None:
    """Returns a file with what is piped to this command."""
    if sys.stdin.isatty():
        return None
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


def leave(seconds: float) -> bool:
    """Asks whether a program that took so long may be run again, if somebody is there to answer."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    question = (
        f"It took {seconds:.1f} s. Run it twice more with the same arguments and without input, for some "
        f"{seconds * (1 + SLOWER):,.0f} s, to predict what could be gained?"
    )
    return typer.confirm(question, err=True)
