"""`./freehold list`: what can be measured, by the names that `./freehold run` takes."""

from collections.abc import Iterable

from freehold_lab import catalogue
from freehold_lab.workloads import ALL, Workload


def lines() -> list[str]:
    """Returns a heading and a line for each workload, then for each strategy."""
    strategies = [each for each in catalogue.read() if not each.status]
    return [
        "Workloads, for --only:",
        *_columns((each.name, _described(each)) for each in ALL.values()),
        "",
        "Strategies, for --strategy:",
        *_columns((each.name, f"{each.label} ({each.family})") for each in strategies),
    ]


def _described(workload: Workload) -> str:
    sized = [(size, max(workload.sizes[size])) for size in workload.sizes]
    told = ", ".join(f"{size} {workload.size.format(largest)}" for size, largest in sized)
    return f"{workload.title} ({told})" if told else workload.title


def _columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    rows = list(rows)
    width = max(len(name) for name, _ in rows)
    return [f"  {name:{width}}  {text}" for name, text in rows]
