"""What was merged, in the terminal: at most 40 lines."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from freehold_lab.machines.between import Between, Choice
from freehold_lab.machines.inputs import plain
from freehold_lab.machines.reading import Run
from freehold_lab.report.tables.text import times

MOST_NAMES = 4
MOST_CHANGES = 8
FIGURES_WIDTH = 40  # of the columns other than need and pick


def show(runs: list[Run], chosen: list[Choice], console: Console) -> None:
    console.print(Text(f"What to use on {len(runs)} machine{'s' if len(runs) > 1 else ''}", style="bold"))
    drawn = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for title in ("need", "compiler", "pick", "machines", "time, between"):
        drawn.add_column(title, no_wrap=True)
    room = max(16, (console.width - FIGURES_WIDTH) // 2)
    need = ""
    for choice in chosen:
        label, machines = choice.winners[0]
        share = f"{len(machines)}/{len(choice.by_machine)}"
        name = "" if choice.need == need else choice.need
        style = "yellow" if choice.changes else ""
        drawn.add_row(
            Text(plain(name, room)),
            Text(choice.compiler),
            Text(plain(label, room), style=style),
            Text(share, style=style),
            interval(choice.between()),
        )
        need = choice.need
    console.print(drawn if chosen else "These results decide no need: too little was measured.")
    lines = changes(chosen)
    for line in lines[:MOST_CHANGES]:
        console.print(Text(line, style="yellow"), no_wrap=True, overflow="ellipsis")
    if len(lines) > MOST_CHANGES:
        console.print(Text(f"… and {len(lines) - MOST_CHANGES} more, on the page", style="yellow"))


def changes(chosen: list[Choice]) -> list[str]:
    """Where the pick changes, a line for each choice that is not the same on all machines."""
    return [
        f"{choice.need}, {choice.compiler}: " + "; ".join(f"{label} on {names(on)}" for label, on in choice.winners)
        for choice in chosen
        if choice.changes
    ]


def names(machines: list[str]) -> str:
    """The names of `machines`, or of many their number."""
    return ", ".join(machines) if len(machines) <= MOST_NAMES else f"{len(machines)} machines"


def interval(found: Between) -> str:
    if found.low == found.high:
        return times(found.ratio)
    return f"{times(found.ratio)} ({times(found.low)}–{times(found.high)})"
