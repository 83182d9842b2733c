"""`./freehold advise --copies` and `--shim`."""

from pathlib import Path

from rich.console import Console

from freehold_lab.advise.copies import counting, files, following, shim, showing
from freehold_lab.errors import LabError
from freehold_lab.process import exit_code


def run(command: tuple[str, ...]) -> int:
    """Returns what the program ended with. Raises LabError."""
    if not command:
        raise LabError("--copies needs a program: ./freehold advise --copies -- PROGRAM ARGUMENTS")
    console = Console()
    if any(Path(each).name == shim.LIBRARY for each in files.of(command[0])):
        followed = following.follow(command)
        showing.show_followed(followed, command[0], console)
        status = followed.status
    else:
        counted = counting.count(command)
        showing.show_counted(counted, command[0], console)
        status = counted.status
    return exit_code(status)


def make_shim(folder: Path, compiler: str) -> None:
    """Says what a program is to be built with. Raises LabError."""
    print(shim.make(folder, compiler))
    print("then:         ./freehold advise --copies -- PROGRAM ARGUMENTS")
