"""The calls of ptrace: each is made by the thread that has seized, for one thread of another process."""

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from freehold_lab.owners.image import registers
from freehold_lab.owners.image.memory import Thread

CONTINUE, DETACH = 7, 17
GET_MESSAGE, GET_REGISTERS, SEIZE, INTERRUPT, LISTEN = 0x4201, 0x4204, 0x4206, 0x4207, 0x4208
FORK, VFORK, CLONE, EXEC, EXIT, STOP = 1, 2, 3, 4, 6, 128  # events; an option is 1 << event
WAIT_ALL = 0x40000000  # __WALL: for threads, too
STOPS = (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
MOST_REGISTERS = 512  # bytes

_c = ctypes.CDLL(None, use_errno=True)
_c.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_c.ptrace.restype = ctypes.c_long


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


@dataclass(frozen=True)
class Stopped:
    """Why a thread has stopped, or that it has ended."""

    status: int  # as wait returns it

    @property
    def has_ended(self) -> bool:
        return not os.WIFSTOPPED(self.status)

    @property
    def event(self) -> int:
        return self.status >> 16

    @property
    def signal(self) -> int:
        """The signal that the thread is about to get, or 0. It is lost unless it is handed on."""
        return 0 if self.has_ended or self.event else os.WSTOPSIG(self.status)

    @property
    def is_of_group(self) -> bool:
        """Says whether the whole process is stopped, as by SIGSTOP, and stays so until SIGCONT."""
        return self.event == STOP and os.WSTOPSIG(self.status) in STOPS


def seize(id: int, *events: int) -> None:
    """Begins to trace a thread, which runs on. Raises OSError."""
    _call(SEIZE, id, 0, sum(1 << event for event in events))


def interrupt(id: int) -> None:
    """Lets the thread stop soon, or end if it is about to."""
    _unless_gone(INTERRUPT, id)


def message(id: int) -> int:
    """Returns what belongs to the event: of FORK and the like, the new process. Raises OSError."""
    value = ctypes.c_ulong()
    _call(GET_MESSAGE, id, 0, ctypes.addressof(value))
    return value.value


def resume(id: int, stopped: Stopped) -> None:
    """Lets a thread go on from where it has stopped. If it has ended meanwhile, nothing happens."""
    _unless_gone(LISTEN if stopped.is_of_group else CONTINUE, id, stopped.signal)


def detach(id: int, stopped: Stopped) -> None:
    """The same, and the thread is traced no longer."""
    if not _unless_gone(DETACH, id, stopped.signal):
        wait(id, 0)  # it was killed: its end goes to its parent


def _unless_gone(request: int, id: int, number: int = 0) -> bool:
    try:
        _call(request, id, 0, number)
    except ProcessLookupError:
        return False
    return True


def wait(id: int, until: float | None) -> Stopped | None:
    """Returns the next stop of the thread or its end, or None if there is none `until` that moment."""
    while True:
        try:
            found, status = os.waitpid(id, WAIT_ALL | (0 if until is None else os.WNOHANG))
        except ChildProcessError:
            return Stopped(0)  # ended, and another has been told so
        if found:
            return Stopped(status)
        if until is not None and time.monotonic() >= until:
            return None
        time.sleep(0.0002)


def thread(id: int, layout: registers.Layout) -> Thread:
    """Returns the registers of a thread that is stopped. Raises OSError."""
    separate = b"" if layout.thread_pointer is not None else _registers(id, registers.THREAD_POINTER)
    return registers.thread(layout, id, _registers(id, registers.GENERAL), separate)


def call(id: int, layout: registers.Layout) -> int:
    """Returns the number of the system call that a thread is in, which has stopped. Raises OSError."""
    if layout.call is None:
        return int.from_bytes(_registers(id, registers.CALL), "little")
    return int.from_bytes(_registers(id, registers.GENERAL)[8 * layout.call :][:8], "little")


def state(process: int, id: int) -> str:
    """Returns the letter of what a thread does, such as R; Z when it has ended; nothing when it is gone."""
    try:
        return Path(f"/proc/{process}/task/{id}/stat").read_text(errors="replace").rpartition(") ")[2][:1]
    except OSError:
        return ""


def _registers(id: int, kind: int) -> bytes:
    buffer = ctypes.create_string_buffer(MOST_REGISTERS)
    vector = _Vector(ctypes.addressof(buffer), MOST_REGISTERS)
    _call(GET_REGISTERS, id, kind, ctypes.addressof(vector))
    return buffer.raw[: vector.length]


def _call(request: int, id: int, address: int = 0, data: int = 0) -> None:
    if _c.ptrace(request, id, address, data) == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
