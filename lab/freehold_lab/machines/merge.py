"""`./freehold merge`: results of several machines become one table and one page."""

from pathlib import Path

from rich.console import Console
from rich.progress import track

from freehold_lab import store
from freehold_lab.errors import LabError, say
from freehold_lab.machines import inputs, page, table, told
from freehold_lab.machines.between import choices
from freehold_lab.machines.reading import Fault, Points, Run, read_all


def merge(arguments: list[str], output: Path, query: str = "") -> int:
    """Merges the files that `arguments` name, draws them, and asks `query`. Returns the exit code: 2 if a file was left
    out."""
    merged = output / table.NAME
    if not arguments:
        if not query:
            raise LabError("merge takes files, folders or patterns; or --sql to ask what was merged")
        table.ask(query, merged)
        return 0
    paths = inputs.find(arguments)
    store.prepare(output)
    runs, faults, points = _read(paths)
    table.write(runs, points, merged)
    if query:
        table.ask(query, merged)
    else:
        draw(runs, faults, merged)
    return 2 if faults else 0


def draw(runs: list[Run], faults: list[Fault], merged: Path) -> None:
    """Shows what was merged in the terminal, and writes its page beside the table."""
    chosen = choices([(run.name, run.picks) for run in runs])
    told.show(runs, chosen, Console())
    drawn = merged.with_suffix(".html")
    page.write(runs, faults, chosen, table.everywhere(merged), drawn)
    say(f"table: {merged}, page: {drawn}")


def _read(paths: list[Path]) -> tuple[list[Run], list[Fault], Points]:
    """Returns the runs in `paths`, each once, why the others are left out, which is said as well, and all points."""
    found: dict[tuple[object, ...], Run] = {}
    faults = []
    console = Console(stderr=True)
    points: Points = {}
    read = read_all(paths, points)
    for each in track(read, "reading", len(paths), console=console, transient=True, disable=not console.is_terminal):
        if isinstance(each, Fault):
            say(f"{each.text}; left out")
            faults.append(each)
            continue
        other = found.get(each.identity)
        kept = each if other is None or each.launches > other.launches else other
        if other is not None:
            dropped = other if kept is each else each
            say(f"{dropped.path} is of the same run as {kept.path}: left out")
        found[each.identity] = kept
    if not found:
        raise LabError("none of these files is a result")
    return list(found.values()), faults, points
