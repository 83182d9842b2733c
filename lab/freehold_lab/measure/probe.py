"""Runs probes and reads their answers: who they are, times, peak memory and the sizes of handles."""

import os
import subprocess
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from freehold_lab.errors import LabError
from freehold_lab.model import Cell, Data, Identity, Launch, Moment, Peak, Point, Record, State, Timeline

Answer = TypeVar("Answer", bound=BaseModel)

# In seconds: far more than a probe takes, so that a hanging one does not block a run.
PATIENCE = 600

WHOLE = 100  # percent of what a workload does whose memory is followed


class Times(Record):
    """What `probe time` prints."""

    checksum: str
    points: list[Point]


class Use(Record):
    series: str
    x: int
    peak: int
    left: int
    resident: int | None = None
    idle: int | None = None
    unfreed: int | None = None
    collections: int | None = None
    median_pause: int | None = None
    longest_pause: int | None = None


class Uses(Record):
    """What `probe memory` prints."""

    checksum: str
    points: list[Use]


class Course(Record):
    series: str
    x: int
    moments: list[Moment]
    peak: int
    trimmed: int
    processor: float
    system: float
    faults: int


class Courses(Record):
    """What `probe timeline` prints."""

    checksum: str
    points: list[Course]


class Sizes(Record):
    """What `probe data-size` prints."""

    handle: int
    control: float
    altogether: float
    allocations: int
    weak: int | None = None


def identify(executable: Path) -> Identity:
    """Returns which compiler, strategy and library the probe says it was built with."""
    return ask(Identity, executable, "identify")


def launch(executable: Path, cell: Cell, scale: int, round_number: int) -> Launch:
    """Times `cell` in a process of its own; containers hold `scale` objects."""
    times = ask(Times, executable, *measuring("time", [cell.workload], cell.state, scale))
    return Launch(round=round_number, cell=cell, checksum=times.checksum, points=times.points)


def peaks(
    executable: Path, workloads: Sequence[str], compiler: str, strategy: str, scale: int, idle: bool = False
) -> list[Peak]:
    """Returns the memory that workloads take, and what a garbage collector does meanwhile; with `idle` also what they
    keep when nothing has happened for two seconds. All are measured by one process: while one idles, another works."""
    arguments = [*measuring("memory", workloads, State.ALONE, scale), *(["--idle"] if idle else [])]
    name = title(executable, *arguments)
    lines = output([str(executable), *arguments], name).splitlines()
    return [
        Peak(workload=workload, compiler=compiler, strategy=strategy, **use.model_dump())
        for workload, line in zip_longest(workloads, lines, fillvalue="")
        for use in understand(Uses, line, name).points
    ]


def timelines(executable: Path, workload: str, compiler: str, strategy: str) -> list[Timeline]:
    """Follows the memory of a workload over time, a process for each of its series."""
    courses = ask(Courses, executable, *measuring("timeline", [workload], State.ALONE, WHOLE))
    where = {"workload": workload, "compiler": compiler, "strategy": strategy}
    return [Timeline(**where, **course.model_dump(exclude={"x"})) for course in courses.points]


def data_size(executable: Path, compiler: str, strategy: str) -> Data:
    """Returns the sizes of a handle and of what it owns."""
    sizes = ask(Sizes, executable, "data-size")
    return Data(compiler=compiler, strategy=strategy, **sizes.model_dump())


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


def output(command: Sequence[str], name: str, **variables: str) -> str:
    """Returns what `command` prints on stdout, with `variables` in its environment; `name` is what messages call it."""
    environment = os.environ | variables
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, env=environment
        )
    except subprocess.TimeoutExpired as error:
        raise LabError(f"{name}: timed out after {PATIENCE} seconds") from error
    except OSError as error:
        raise LabError(f"{name}: cannot start {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["no output"]
        raise LabError(f"{name}: exit code {done.returncode}: {said[-1]}")
    return done.stdout


def understand(model: type[Answer], text: str, name: str) -> Answer:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise LabError(f"{name}: unexpected output: {text[:60]!r}") from error
