"""The command line: its commands, a module for those of a kind, and how faults are reported."""

import os
import signal
import sys

import typer

from freehold_lab.cli import house, measure, programs
from freehold_lab.errors import LabError, say
from freehold_lab.process import exit_code

# Every command imports its part when it is called: scipy takes a second that doctor and --help need not wait.
app = typer.Typer(add_completion=False, rich_markup_mode=None)
for each in (measure, programs, house):
    app.add_typer(each.commands)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code. A fault that the user can fix is one line."""
    # SIGTERM does what Ctrl-C does, so that no measurement is lost.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = app(arguments, prog_name="freehold", standalone_mode=False) or 0
        sys.stdout.flush()  # here, where it is known what to do if nobody reads it
        return code
    except (BrokenPipeError, SystemExit) as end:
        # Whoever read this has read enough, as head does. Typer and rich make a SystemExit of that.
        if not isinstance(end, BrokenPipeError) and not isinstance(end.__context__, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes once more
        return exit_code(-signal.SIGPIPE)
    except typer.TyperException as error:
        fault = f"{error.format_message()} (freehold --help says what there is)"
    except LabError as error:
        fault = str(error)
    except ModuleNotFoundError as error:  # of the installed package, whose user has not asked for it
        fault = f"this needs the Python package {error.name}, which comes with freehold[machines]"
    except OSError as error:
        fault = f"{error.filename or 'this machine'}: {error.strerror or error}"
    say(" ".join(fault.split()))
    return 2


@app.callback()
def freehold() -> None:
    """Measure ownership strategies on this machine, and test Freehold."""
