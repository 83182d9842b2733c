"""What the user is told besides what was asked for. Standard library only, for ./freehold."""

import sys


class LabError(Exception):
    """A fault that the user can fix, in one line: the command prints it and ends with exit code 2."""


def say(line: str) -> None:
    print(f"freehold: {line}", file=sys.stderr, flush=True)
