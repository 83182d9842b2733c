"""Stops all threads of a process, and lets them go on as if nothing had been."""

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from freehold_lab.errors import LabError
from freehold_lab.owners.image import ptrace, registers, rights
from freehold_lab.owners.image.memory import Thread

PATIENCE = 2.0  # seconds until a thread that does not stop is given up
A_MOMENT = 0.01  # seconds
ENDED = ("", "Z", "X")


@dataclass
class Halt:
    """A process whose threads are all stopped."""

    threads: list[Thread] = field(default_factory=list)
    began: float = 0
    seconds: float = 0


@contextmanager
def stopped(process: int) -> Iterator[Halt]:
    """Keeps the process stopped. Raises LabError if that cannot be done.

    Each thread is detached with the signal that it was about to get. Should this program be killed, the kernel does
    the same. No SIGSTOP is sent, which the process's parent would see."""
    halt = Halt()
    stops: dict[int, ptrace.Stopped] = {}
    try:
        _stop_all(process, halt, stops)
        yield halt
    finally:
        for id, stop in stops.items():
            ptrace.detach(id, stop)
        halt.seconds = time.perf_counter() - halt.began


def _stop_all(process: int, halt: Halt, stops: dict[int, ptrace.Stopped]) -> None:
    """Stops threads until there are no others: one that runs may begin another."""
    ended: set[int] = set()
    while new := threads(process) - stops.keys() - ended:
        seized = {id for id in new if _seize(process, id)}
        ended |= new - seized
        halt.began = halt.began or time.perf_counter()
        for id in seized:
            ptrace.interrupt(id)
        for id in seized:
            stop = _stop_of(process, id)
            if stop.has_ended:
                ended.add(id)
            else:
                stops[id] = stop
    for id in sorted(stops, key=lambda id: (id != process, id)):
        with suppress(ProcessLookupError):  # killed meanwhile
            halt.threads.append(registers_of(id))
    if not halt.threads:
        raise LabError(f"process {process} has ended")


def _stop_of(process: int, id: int) -> ptrace.Stopped:
    until = time.monotonic() + PATIENCE
    while (stop := ptrace.wait(id, time.monotonic() + A_MOMENT)) is None:
        state = ptrace.state(process, id)
        if state in ENDED:  # a first thread whose end is told when the others have ended
            return ptrace.Stopped(0)
        if time.monotonic() > until:
            raise LabError(
                f"thread {id} of process {process} does not stop: it waits inside the kernel (state {state} in "
                f"/proc/{process}/task/{id}/stat); try again later"
            )
    return stop


def registers_of(id: int) -> Thread:
    """Returns those of a thread that has stopped, and its name. Raises OSError."""
    name = Path(f"/proc/{id}/comm").read_text(errors="replace").strip()
    return replace(ptrace.thread(id, registers.BY_NAME[platform.machine()]), name=name)


def living(process: int) -> list[int]:
    """Returns the threads of a process that have not ended, the first one first unless it has."""
    found = [id for id in threads(process) if ptrace.state(process, id) not in ENDED]
    return sorted(found, key=lambda id: (id != process, id))


def threads(process: int) -> set[int]:
    try:
        return {int(each) for each in os.listdir(f"/proc/{process}/task")}
    except OSError:
        return set()


def _seize(process: int, id: int) -> bool:
    """Returns whether the thread is traced now; if not, it has ended."""
    try:
        ptrace.seize(id)
    except OSError as error:
        if ptrace.state(process, id) in ENDED:
            return False
        raise rights.refusal(process, error) from error
    return True
