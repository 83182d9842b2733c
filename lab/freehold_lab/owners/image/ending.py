"""Runs a program and reads its memory when it is about to end: by exit, by _exit or by a signal.

The kernel stops each thread when it ends. When a process ends, the memory and the registers of all its threads are
still there then, so nothing else is traced: the system calls of the program take as long as without it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from freehold_lab.errors import LabError
from freehold_lab.owners.image import ptrace
from freehold_lab.owners.image.following import Follower
from freehold_lab.owners.image.memory import Image
from freehold_lab.owners.image.starting import Started

FOLLOWED = (ptrace.CLONE, ptrace.EXEC, ptrace.EXIT)


def run(
    command: Sequence[str], take: Callable[[Image], None], *, children: bool = False, most_bytes: int | None = None
) -> int:
    """Runs `command` and gives `take` its memory at its end; with `children`, also that of each process it begins.

    Returns the exit status of the program. Raises LabError if it could not be started or read. Waits for the children
    of this process: there must be no others."""
    started = Started(command, *FOLLOWED, *((ptrace.FORK, ptrace.VFORK) if children else ()))
    follower = Follower(started.process, take, children, most_bytes)
    with _passing_signals(started.process):
        status = follower.follow()
    if fault := started.fault():
        raise LabError(f"{command[0]} cannot be started: {fault}")
    if follower.failure:
        raise follower.failure
    if started.process not in follower.taken:
        raise LabError(
            f"{command[0]} was killed by SIGKILL, and not read: when memory is short, the system empties what it kills"
        )
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


@contextmanager
def _passing_signals(process: int) -> Iterator[None]:
    """Leaves signals to the program. It gets that of Ctrl-C from the terminal."""

    def ignore(number: int, frame: FrameType | None) -> None:
        pass

    def send(number: int, frame: FrameType | None) -> None:
        os.kill(process, number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {signal.SIGINT: ignore, signal.SIGTERM: send, signal.SIGHUP: send}
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
