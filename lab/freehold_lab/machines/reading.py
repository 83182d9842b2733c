"""Many result files, read several at a time: each becomes rows, and what the page says of its machine."""

import gc
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import numpy

from freehold_lab.errors import LabError, distrusting
from freehold_lab.machines import inputs
from freehold_lab.machines.picks import Pick, picks
from freehold_lab.machines.rows import FIGURES, Point, rows
from freehold_lab.model import Machine, Result

FEW = 8  # files, which one process reads as fast


@dataclass(frozen=True)
class Run:
    """What is kept of a result besides its rows. `identity` is the same for two files of one run."""

    name: str
    path: Path
    identity: tuple[object, ...]
    launches: int
    machine: Machine
    compilers: list[str]
    freehold: str
    started: str
    rounds: int
    complete: bool
    picks: list[Pick]
    points: numpy.ndarray = field(repr=False)  # their numbers
    figures: numpy.ndarray = field(repr=False)  # a column for each of FIGURES


@dataclass(frozen=True)
class Fault:
    """Why a file is left out, in one line."""

    text: str


Points = dict[int, Point]  # by number, as most are the same in all results
_sent: set[int] = set()  # those that this process has returned


def read_all(paths: list[Path], points: Points) -> Iterator[Run | Fault]:
    """Yields what is in each of `paths`, and adds its points to `points`."""
    names = inputs.name_machines(paths)
    # Without collections of garbage, of which there is none, reading takes two thirds of the time.
    # Forked processes need not import anything again, and a point has the same hash, its number, in all.
    pool = (
        None if len(paths) < FEW else ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("fork"), gc.disable)
    )
    _sent.clear()
    with pool or nullcontext():
        read = pool.map(_read, paths, names, chunksize=4) if pool else map(_read, paths, names)
        for run, new in read:
            points |= new
            yield run


def _read(path: Path, name: str) -> tuple[Run | Fault, Points]:
    """Returns what is in `path`, and the points that this process has not sent before."""
    try:
        result = inputs.read(path)
        with distrusting(path):
            found, chosen = rows(result), picks(result)
        numbers = {hash(point): point for point in found}
        new = {number: point for number, point in numbers.items() if number not in _sent}
        _sent.update(new)
        return Run(
            name=name,
            path=path,
            identity=_identity(result),
            launches=len(result.launches),
            machine=Machine(**{key: getattr(result.machine, key) for key in Machine.model_fields}),
            compilers=[each.name for each in result.compilers],
            freehold=result.freehold,
            started=result.started,
            rounds=len({launch.round for launch in result.launches}),
            complete=result.complete,
            picks=chosen,
            points=numpy.fromiter(numbers, dtype=numpy.int64, count=len(numbers)),
            figures=numpy.array(list(found.values()), dtype=float).reshape(-1, len(FIGURES)).T,
        ), new
    except LabError as fault:
        return Fault(inputs.plain(str(fault), 200)), {}


def _identity(result: Result) -> tuple[object, ...]:
    """An interrupted run that went on later keeps the times of its first launch."""
    first = [point.nanoseconds for launch in result.launches[:1] for point in launch.points]
    return (result.plan, result.started, *first)
