"""Begins a program that is traced from its first instruction on."""

import os
import signal
from collections.abc import Sequence

from freehold_lab.owners.image import ptrace, rights, seccomp

FOLLOWED = (ptrace.FORK, ptrace.VFORK, ptrace.CLONE, ptrace.EXEC)
CHANGED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class Started:
    """A program that is about to begin."""

    def __init__(self, command: Sequence[str]) -> None:
        """Raises LabError if it cannot be traced."""
        self._told, tell = os.pipe()
        waited, go = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            os.close(go)
            _become(command, tell, waited)
        os.close(tell)
        os.close(waited)
        # Whether the program stops before it ends; else it stops only when its other threads have gone.
        self.is_filtered = os.read(self._told, 1) == b"y"
        try:
            ptrace.seize(self.process, *FOLLOWED, ptrace.SECCOMP if self.is_filtered else ptrace.EXIT)
        except OSError as error:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            raise rights.refusal(self.process, error) from error
        os.write(go, b"g")
        os.close(go)

    def fault(self) -> str:
        """Returns why it could not begin, or nothing; to be called once, at its end."""
        with os.fdopen(self._told, "rb", 0) as told:
            return told.read().decode()


def _become(command: Sequence[str], tell: int, waited: int) -> None:
    """Turns this process, a new one, into the program."""
    for each in CHANGED_BY_PYTHON:
        signal.signal(each, signal.SIG_DFL)
    os.write(tell, b"y" if seccomp.install() else b"n")
    if os.read(waited, 1) != b"g":
        os.kill(os.getpid(), signal.SIGKILL)  # nobody traces it, so that it cannot end in another way
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        os.write(tell, os.strerror(error.errno or 0).encode())
    os._exit(127)
