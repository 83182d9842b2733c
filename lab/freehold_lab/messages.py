"""What the command says of itself, apart from what it was asked for. Standard library only, for ./freehold."""

import sys


def say(line: str) -> None:
    print(f"freehold: {line}", file=sys.stderr, flush=True)
