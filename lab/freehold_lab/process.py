"""Child processes: their output, which is kept rather than shown, and how they ended."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

# Messages are looked at by what they say, so they must not be translated.
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}


def capture(*command: str, text: str = "") -> str | None:
    """Returns what `command` prints on stdout when given `text`, or None if it fails or cannot be started."""
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, errors="replace", env=os.environ | ENVIRONMENT
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def log(
    command: Sequence[str],
    path: Path,
    heard: Callable[[str], None] = lambda line: None,
    folder: Path | None = None,
    **variables: str,
) -> int:
    """Runs `command` in `folder` and returns its exit code. Its output goes to the end of `path`, and line by line to
    `heard`."""
    with path.open("a") as file:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=folder,
            env=os.environ | ENVIRONMENT | variables,
        ) as process:
            for line in process.stdout or ():
                file.write(line)
                heard(line)
        return process.returncode


def exit_code(status: int) -> int:
    """Returns what a shell has of a program that ended so: a signal is negative."""
    return status if status >= 0 else 128 - status
