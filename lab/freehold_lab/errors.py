"""What the user is told besides what was asked for. Standard library only, for ./freehold."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


class LabError(Exception):
    """A fault that the user can fix, in one line: the command prints it and ends with exit code 2."""


MOST_LETTERS = 2000


def say(line: str) -> None:
    """Prints `line`. Parts of it may be from a foreign file, so it is cut, and commands no terminal."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in line)
    print(f"freehold: {plain[:MOST_LETTERS]}", file=sys.stderr, flush=True)


@contextmanager
def distrusting(what: object) -> Iterator[None]:
    """Makes a LabError of what goes wrong with figures in `what` that no measurement gives."""
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise LabError(f"{what} holds figures that make no sense: {type(error).__name__}: {error}") from error
