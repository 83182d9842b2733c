"""Begins a program that is traced from its first instruction on."""

import os
import signal
from collections.abc import Sequence

from freehold_lab.owners.image import ptrace, rights

CHANGED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


class Started:
    """A program that is about to begin."""

    def __init__(self, command: Sequence[str], *events: int) -> None:
        """Lets it stop at these events. Raises LabError if it cannot be traced."""
        self._told, tell = os.pipe()
        waited, go = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            os.close(go)
            _become(command, tell, waited)
        os.close(tell)
        os.close(waited)
        try:
            ptrace.seize(self.process, *events)
        except OSError as error:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            raise rights.refusal(self.process, error) from error
        finally:
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
    os.read(waited, 1)
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        os.write(tell, os.strerror(error.errno or 0).encode())
    os._exit(127)
