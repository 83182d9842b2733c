"""`./freehold run --on`: the same run on every machine of a Dask cluster, or of Slurm through it."""

import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from distributed import Client
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from freehold_lab import folders, store
from freehold_lab.errors import LabError, say
from freehold_lab.machines import checkout, inputs, merge
from freehold_lab.machines.fleet import Fleet, Part
from freehold_lab.run import Request

PATIENCE = 10  # seconds to find the scheduler
PAUSE = 0.5  # seconds between two looks
PROGRESS_PAUSE = 5.0  # between two questions how far a run is, which disturb it a little
SLURM = "slurm"


def run(request: Request, scheduler: str) -> int:
    """Carries out a checked request on all machines that `scheduler` has, and returns the exit code: 1 if some of them
    brought no result."""
    packed = checkout.archive(folders.ROOT)
    arrived: list[Path] = []
    with connected(scheduler) as (client, awaited), _interruption() as interrupted:
        fleet = Fleet(client, packed, arguments(request))
        for part in _ended(fleet, awaited, interrupted):
            if path := _saved(part, request.output):
                arrived.append(path)
                say(f"{part.name}: {path}")
            else:
                say(f"{part.name}: {part.fault}")
        if interrupted.is_set():
            say("interrupted: ending what is running")
            fleet.stop()
        unfinished = [part.name for part in fleet.parts if not part.has_ended]
    if unfinished:
        say(f"without a result: {', '.join(unfinished)}")
    if not arrived:
        if interrupted.is_set():
            return 130
        raise LabError("no machine brought a result")
    merge.merge([str(path) for path in arrived], request.output)
    if interrupted.is_set():
        return 130
    return int(len(arrived) < len(fleet.parts))


@contextmanager
def _interruption() -> Iterator[Event]:
    """Yields what the first signal to end sets. A second one raises KeyboardInterrupt: for the first that would not do,
    since Python loses an exception that is raised while it runs a finalizer."""
    told = Event()
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}

    def tell(*_: object) -> None:
        told.set()
        for each in before:
            signal.signal(each, signal.default_int_handler)

    for each in before:
        signal.signal(each, tell)
    try:
        yield told
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def arguments(request: Request) -> list[str]:
    """Returns what to type to get `request` again, save for where it is done and what is shown."""
    found = ["--quick"] * request.quick + ["--no-count"] * (not request.count)
    found += ["--size", request.size] if request.size else []
    for option, names in (
        ("--only", request.workloads),
        ("--strategy", request.strategies),
        ("--compiler", request.compilers),
    ):
        found += [word for name in names for word in (option, name)]
    return found


@contextmanager
def connected(scheduler: str) -> Iterator[tuple[Client, Callable[[], set[str]]]]:
    """A client of `scheduler`, and what tells the names of the workers that are to come."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is lost is said by us
    name, _, jobs = scheduler.partition(":")
    if name == SLURM:
        with _slurm(jobs) as cluster, Client(cluster) as client:
            yield client, lambda: set(map(str, cluster.plan))
        return
    try:
        client = Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise LabError(f"no scheduler answers at {scheduler}: {error}") from error
    with client:
        if not client.nthreads():
            raise LabError(f"the scheduler at {scheduler} has no workers")
        yield client, set


@contextmanager
def _slurm(jobs: str) -> Iterator[Any]:
    """A cluster of as many `jobs`, each with a machine to itself, as the user's Dask configuration describes them."""
    import dask

    handler = signal.getsignal(signal.SIGINT)
    from dask_jobqueue.slurm import SLURMCluster

    signal.signal(signal.SIGINT, handler)  # dask-jobqueue takes it: an interruption would lose what has arrived

    if jobs and not jobs.isdecimal():
        raise LabError(f"--on {SLURM}:JOBS takes a number of jobs, and not {jobs}")
    directives = dask.config.get(f"jobqueue.{SLURM}.job-extra-directives", [])
    try:
        cluster = SLURMCluster(
            job_extra_directives=[*directives, "--exclusive"], scheduler_options={"dashboard_address": ":0"}
        )
        cluster.scale(jobs=int(jobs or 1))
    except (ValueError, OSError, RuntimeError) as error:
        raise LabError(f"Slurm: {error}") from error
    with cluster:
        say(f"waiting for {len(cluster.plan)} of Slurm's machines")
        yield cluster


def _ended(fleet: Fleet, awaited: Callable[[], set[str]], interrupted: Event) -> Iterator[Part]:
    """Yields the parts as they end, until it is interrupted, and meanwhile shows how far the others are."""
    console = Console(stderr=True)
    asked = 0.0
    with Live(console=console, transient=True, auto_refresh=False) as live:
        while not interrupted.is_set():
            yield from fleet.look()
            if awaited() <= fleet.workers and all(part.has_ended for part in fleet.parts):
                return
            if console.is_terminal and time.monotonic() > asked + PROGRESS_PAUSE:
                live.update(_table(fleet), refresh=True)
                asked = time.monotonic()
            interrupted.wait(PAUSE)


def _table(fleet: Fleet) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, line in fleet.progress().items():
        table.add_row(name, Text(line))
    return table


def _saved(part: Part, output: Path) -> Path | None:
    """Saves what `part` brought, and returns where; or says in `part` why that is nothing."""
    if not part.result:
        return None
    path, draft = output / f"{part.name}.json", output / f".{part.name}.draft"
    try:
        draft.write_bytes(part.result)
        inputs.read(draft)
    except LabError as fault:
        draft.unlink()
        part.fault = str(fault)
        return None
    if path.exists():
        _make_way(path)
    return draft.rename(path)


def _make_way(path: Path) -> None:
    """Renames an earlier result of the machine after the moment it was started."""
    try:
        store.keep(path, store.load(path), f"{path.stem}-")
    except LabError as fault:
        say(f"{fault}; it is now {store.set_aside(path)}")
