"""Runs probes and understands what they print."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from freehold_lab.errors import LabError
from freehold_lab.model import State

Answer = TypeVar("Answer", bound=BaseModel)

# In seconds: far more than a probe takes, so that one that hangs does not hold up a run for ever.
PATIENCE = 600


def ask(model: type[Answer], executable: Path, *arguments: str) -> Answer:
    """Returns the answer of a probe."""
    name = title(executable, *arguments)
    return understand(model, output([str(executable), *arguments], name), name)


def measuring(action: str, workloads: Sequence[str], state: State, scale: int) -> list[str]:
    """Returns the arguments that have a probe time or count workloads. It answers with a line for each."""
    return [action, *workloads, *(["--threaded"] if state is State.THREADED else []), "--scale", str(scale)]


def title(executable: Path, *arguments: str) -> str:
    """Returns what messages call a probe, e.g. "g++-12/probe_raw identify"."""
    return " ".join([f"{executable.parent.name}/{executable.name}", *arguments])


def output(command: Sequence[str], name: str) -> str:
    """Returns what `command` prints on stdout; `name` is what messages call it."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
    except subprocess.TimeoutExpired as error:
        raise LabError(f"{name}: no end after {PATIENCE} seconds") from error
    except OSError as error:
        raise LabError(f"{name}: cannot start {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise LabError(f"{name}: exit code {done.returncode}: {said[-1]}")
    return done.stdout


def understand(model: type[Answer], text: str, name: str) -> Answer:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise LabError(f"{name}: it printed something else than was asked for: {text[:60]!r}") from error
