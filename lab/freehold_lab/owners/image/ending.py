"""Runs a program and reads its memory when it is about to end: by exit, by _exit or by a signal."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from freehold_lab.errors import LabError
from freehold_lab.owners.image import live, maps, ptrace, rights, stopping
from freehold_lab.owners.image.memory import Image, Thread
from freehold_lab.owners.image.reading import Memory
from freehold_lab.owners.image.starting import Started

HARMLESS = {signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH, signal.SIGCONT, *ptrace.STOPS}  # without a handler
KILLED = 1 << (signal.SIGKILL - 1)
NO_RIGHTS = "the program ran with no_new_privs: programs that it starts gain no rights, so that sudo does not work"
NO_STACKS = "threads had ended before the program could be read, and their stacks with them"


def run(
    command: Sequence[str], take: Callable[[Image], None], *, children: bool = False, most_bytes: int | None = None
) -> int:
    """Runs `command` and gives `take` its memory at its end; with `children`, also that of each process it begins.

    Returns the exit status of the program. Raises LabError if it could not be started or read. Waits for all processes
    that the program begins, and for any other children of this one: there must be none."""
    started = Started(command)
    follower = _Follower(started, take, children, most_bytes)
    with _passing_signals(started.process):
        status = follower.follow()
    if fault := started.fault():
        raise LabError(f"{command[0]} cannot be started: {fault}")
    if follower.failure:
        raise follower.failure
    if started.process not in follower.taken:
        raise LabError(f"{command[0]} ended before it could be read, as when it is killed by SIGKILL")
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


class _Follower:
    def __init__(self, started: Started, take: Callable[[Image], None], children: bool, most_bytes: int | None) -> None:
        self._started = started
        self._take = take
        self._children = children
        self._most_bytes = most_bytes
        self._borrowing = {started.process}  # processes that have another one's memory until they call exec
        self.taken: set[int] = set()
        self.failure: LabError | None = None

    def follow(self) -> int:
        """Returns how the program ended, when all processes have."""
        status = 0
        while True:
            try:
                id, reported = os.waitpid(-1, ptrace.WAIT_ALL)
            except ChildProcessError:
                return status
            stopped = ptrace.Stopped(reported)
            if stopped.has_ended:
                status = reported if id == self._started.process else status
                continue
            image = None
            if stopped.event == ptrace.VFORK:
                self._borrowing.add(ptrace.message(id))
            elif stopped.event == ptrace.EXEC:
                self._borrowing.discard(id)
            elif self._can_end(id, stopped):
                image = self._image(id)
            ptrace.resume(id, stopped)
            if image:
                self._take(image)

    def _can_end(self, id: int, stopped: ptrace.Stopped) -> bool:
        """Says whether the thread's process is about to end."""
        if stopped.event == ptrace.EXIT:
            process = _process(id)
            others = [each for each in stopping.living(process) if each != id]
            return all(_is_dying(process, each) for each in others)
        return stopped.event == ptrace.SECCOMP or (stopped.signal > 0 and _is_fatal(id, stopped.signal))

    def _image(self, id: int) -> Image | None:
        """Returns the memory of the thread's process, unless it is not wanted or cannot be had."""
        process = _process(id)
        is_first = process == self._started.process
        if process in self.taken | self._borrowing or not (is_first or self._children):
            return None
        self.taken.add(process)
        try:
            if self._started.is_filtered:
                with stopping.others_stopped(process, id) as halt:
                    image = self._read(process, id, halt.threads)
            else:
                image = self._read(process, id, [stopping.registers_of(id)])
                image.has_all_stacks = len(stopping.threads(process)) == 1
        except (LabError, OSError) as error:
            fault = error if isinstance(error, LabError) else rights.refusal(process, error)
            self.failure = self.failure or fault
            return None
        image.notes += [NO_RIGHTS] if self._started.is_filtered else []
        image.notes += [] if image.has_all_stacks else [NO_STACKS]
        return image

    def _read(self, process: int, id: int, threads: list[Thread]) -> Image:
        segments = maps.segments(id)
        with Memory(id) as memory:
            live.check(process, memory, [each for each in segments if each.is_writable], self._most_bytes)
            live.read_writable(memory, segments, {})
            live.read_constant(memory, segments)
        return Image(f"process {process} at its end", live.processor(), segments, threads, live.files_of(process))


def _process(id: int) -> int:
    return int(rights.status(id).get("Tgid", id))


def _is_fatal(id: int, number: int) -> bool:
    """Says whether the signal ends the process of a thread that is about to get it."""
    said = rights.status(id)
    handled = int(said.get("SigCgt", "0"), 16) | int(said.get("SigIgn", "0"), 16)
    return number not in HARMLESS and not handled >> (number - 1) & 1


def _is_dying(process: int, id: int) -> bool:
    """Says whether a thread goes, too, as its process ends."""
    return ptrace.state(process, id) == "t" or bool(int(rights.status(id).get("SigPnd", "0"), 16) & KILLED)
