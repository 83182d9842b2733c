"""Follows the processes of a program that is traced, and reads each when it is about to end."""

import os
import platform
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from freehold_lab.errors import LabError
from freehold_lab.owners.image import live, maps, ptrace, registers, rights, stopping
from freehold_lab.owners.image.memory import Image
from freehold_lab.owners.image.ptrace import Stopped
from freehold_lab.owners.image.reading import Memory

KILLED = 1 << (signal.SIGKILL - 1)
NO_STACKS = "threads ended before the program could be read: their stacks are lost"
LOOKS = 3  # at a thread, until it is believed that it stays
A_MOMENT = 0.001  # seconds


class Follower:
    def __init__(self, first: int, take: Callable[[Image], None], children: bool, most_bytes: int | None) -> None:
        self._first = first
        self._take = take
        self._children = children
        self._most_bytes = most_bytes
        self._layout = registers.BY_NAME[platform.machine()]
        self._borrowing = {first}  # processes that have another one's memory until they call exec
        self._lost: set[int] = set()  # processes of which a thread may have ended too early
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
            stopped = Stopped(reported)
            if stopped.has_ended:
                status = reported if id == self._first else status
                continue
            with suppress(ProcessLookupError):  # killed meanwhile
                self._go_on(id, stopped)

    def _go_on(self, id: int, stopped: Stopped) -> None:
        if stopped.event == ptrace.VFORK:
            self._borrowing.add(ptrace.message(id))
        elif stopped.event == ptrace.EXEC:
            self._borrowing.discard(id)
            self._lost.discard(id)
        if stopped.event == ptrace.EXIT:
            self._end(id, stopped)
        else:
            ptrace.resume(id, stopped)

    def _end(self, id: int, stopped: Stopped) -> None:
        """Lets a thread end, and reads its process if that ends, too."""
        process = int(rights.status(id).get("Tgid", id))
        stops = {id: stopped}
        image = None
        if self._is_wanted(process, id) and self._gather(process, id, stops):
            image = self._read(process, id, stops)
        for each, stop in stops.items():
            ptrace.resume(each, stop)
        if image:
            self._take(image)

    def _is_wanted(self, process: int, id: int) -> bool:
        if process in self.taken | self._borrowing or ptrace.message(id) & 0x7F == signal.SIGKILL:
            return False
        return process == self._first or self._children

    def _gather(self, process: int, id: int, stops: dict[int, Stopped]) -> bool:
        """Returns whether the whole process ends. If so, all its threads have stopped."""
        others = set(stopping.living(process)) - {id}
        if ptrace.call(id, self._layout) == self._layout.end_of_thread:
            return not others
        until = time.monotonic() + stopping.PATIENCE
        looks = 0
        while others and looks < LOOKS and time.monotonic() < until:
            looks += 1
            for each in sorted(others):
                stop = ptrace.wait(each, 0)
                if stop and (stop.has_ended or stop.event == ptrace.EXIT):
                    others.discard(each)
                    stops |= {} if stop.has_ended else {each: stop}
                elif stop:
                    ptrace.resume(each, stop)
                if stop or _is_killed(each):
                    looks = 0
            time.sleep(A_MOMENT if others else 0)
        # Those that stay may do so as one of them has called exec.
        self._lost |= {process} if others else set()
        return not others

    def _read(self, process: int, id: int, stops: dict[int, Stopped]) -> Image | None:
        self.taken.add(process)
        try:
            threads = [stopping.registers_of(each) for each in stops]
            segments = maps.segments(id)
            with Memory(id) as memory:
                live.check(process, memory, [each for each in segments if each.is_writable], self._most_bytes)
                live.read_writable(memory, segments, {})
                live.read_constant(memory, segments)
        except (LabError, OSError) as error:
            fault = error if isinstance(error, LabError) else rights.refusal(process, error)
            self.failure = self.failure or fault
            return None
        source = f"process {process} at its end"
        image = Image(source, self._layout.processor, segments, threads, live.files_of(process))
        image.has_all_stacks = process not in self._lost
        image.notes += [] if image.has_all_stacks else [NO_STACKS]
        return image


def _is_killed(id: int) -> bool:
    """Says whether a thread is about to end with its process."""
    return bool(int(rights.status(id).get("SigPnd", "0"), 16) & KILLED)
