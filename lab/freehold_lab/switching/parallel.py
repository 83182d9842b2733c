"""Reads units on all processors, in processes that end at once: libclang hears no signal while it compiles."""

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from freehold_lab.switching import reading
from freehold_lab.switching.facts import Facts
from freehold_lab.switching.tree import Tree
from freehold_lab.switching.units import Unit


def read(found: list[Unit], tree: Tree) -> list[Facts]:
    """Returns what each unit says. When interrupted, it ends those that are being read."""
    if not found:
        return []
    with ProcessPoolExecutor(min(len(found), len(os.sched_getaffinity(0))), initializer=_leave_signals) as pool:
        try:
            asked = [pool.submit(reading.read, unit, tree) for unit in found]
            with _progress_bar() as bar:
                task = bar.add_task("reading translation units", total=len(asked))
                for _ in as_completed(asked):
                    bar.advance(task)
            return [each.result() for each in asked]
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.kill()
            raise


def _leave_signals() -> None:
    """A terminal sends the signal to this process as well, which is ended by the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _progress_bar() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
