"""Many result files, read two at a time: each becomes a file of rows, and what the page says of its machine."""

import csv
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from freehold_lab.errors import LabError
from freehold_lab.machines import inputs
from freehold_lab.machines.picks import Pick, picks
from freehold_lab.machines.rows import rows
from freehold_lab.model import Machine, Result

FEW = 8  # files, which one process reads as fast


@dataclass(frozen=True)
class Run:
    """What is kept of a result besides its rows. `identity` is the same for two files of one run."""

    name: str
    path: Path
    rows: Path
    identity: tuple[object, ...]
    launches: int
    machine: Machine
    compilers: list[str]
    freehold: str
    started: str
    rounds: int
    complete: bool
    picks: list[Pick] = field(repr=False)


@dataclass(frozen=True)
class Fault:
    """Why a file is left out, in one line."""

    text: str


def read_all(paths: list[Path], folder: Path) -> Iterator[Run | Fault]:
    """Yields what is in each of `paths`, whose rows are put into `folder`."""
    names = inputs.name_machines(paths)
    files = [folder / f"{number}.csv" for number in range(len(paths))]
    if len(paths) < FEW:
        yield from map(_read, paths, names, files)
        return
    # Forked, so that nothing is imported again.
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork")) as pool:
        yield from pool.map(_read, paths, names, files, chunksize=4)


def _read(path: Path, name: str, file: Path) -> Run | Fault:
    try:
        result = inputs.read(path)
        with file.open("w", newline="", encoding="utf-8", errors="replace") as written:
            csv.writer(written).writerows(rows(result, name))
        return Run(
            name=name,
            path=path,
            rows=file,
            identity=_identity(result),
            launches=len(result.launches),
            machine=Machine(**{key: getattr(result.machine, key) for key in Machine.model_fields}),
            compilers=[each.name for each in result.compilers],
            freehold=result.freehold,
            started=result.started,
            rounds=len({launch.round for launch in result.launches}),
            complete=result.complete,
            picks=picks(result),
        )
    except LabError as fault:
        return Fault(inputs.plain(str(fault), 200))


def _identity(result: Result) -> tuple[object, ...]:
    """An interrupted run that went on later keeps the times of its first launch."""
    first = [point.nanoseconds for launch in result.launches[:1] for point in launch.points]
    return (result.plan, result.started, *first)
