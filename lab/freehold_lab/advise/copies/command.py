"""`./freehold advise --copies` and `--shim`."""

from rich.console import Console

from freehold_lab.advise.copies import counting, showing
from freehold_lab.errors import LabError


def run(command: tuple[str, ...]) -> int:
    """Returns what the program ended with. Raises LabError."""
    if not command:
        raise LabError("--copies needs a program: ./freehold advise --copies -- PROGRAM ARGUMENTS")
    counted = counting.count(command)
    showing.show_counted(counted, command[0], Console())
    return counted.status
