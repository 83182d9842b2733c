"""Reads the code of heap-or-stack's four functions, and counts what a call of each executes."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from freehold_lab.measure import callgrind, object_code
from freehold_lab.measure.counting import differences
from freehold_lab.measure.disassembly import lines
from freehold_lab.measure.machine_code import extents
from freehold_lab.model import Call, Listing, State
from freehold_lab.workloads import HEAP_OR_STACK

# The functions of heap_or_stack.cpp, and what tables call them.
FUNCTIONS = {
    "on_the_stack": "on the stack",
    "by_hand": "by hand",
    "by_hand_with_catch": "by hand, with catch",
    "by_unique_ptr": "by unique_ptr",
}


def read(object_file: Path, compiler: str, strategy: str) -> list[Listing]:
    """Returns the code of each function."""
    found = object_code.functions(object_file, FUNCTIONS.keys())
    listings = []
    for name, title in FUNCTIONS.items():
        hot, cold = object_code.hot_and_cold(name, found)
        listings.append(
            Listing(
                compiler=compiler,
                strategy=strategy,
                function=title,
                hot=hot.part(),
                cold=cold.part(),
                lines=lines(name, hot) + lines(object_code.cold_name(name), cold),
            )
        )
    return listings


def count(executable: Path, compiler: str, strategy: str) -> list[Call]:
    """Returns what a call of each function executes. Exclusive is what lies in the function's symbols: what was inlined
    is its own, and what stays out of line is not. The same every time."""
    file = str(executable.resolve())  # as callgrind names it
    places = extents(
        executable, [name for function in FUNCTIONS for name in (function, object_code.cold_name(function))]
    )
    counted = []
    for point in differences(executable, [HEAP_OR_STACK], State.ALONE, 1, _run):
        function = point.series
        own = [places[function], places[object_code.cold_name(function)]]
        (executed_less, called_less), (executed_more, called_more) = point.less, point.more
        exclusive = _executed_in(file, own, executed_more) - _executed_in(file, own, executed_less)
        counted.append(
            Call(
                compiler=compiler,
                strategy=strategy,
                function=FUNCTIONS[function],
                nodes=point.x,
                exclusive=exclusive / point.iterations,
                inclusive=(called_more[function] - called_less[function]) / point.iterations,
            )
        )
    return counted


def _executed_in(file: str, own: list[range], executed: Counter[tuple[str, int]]) -> int:
    return sum(
        times for (at, address), times in executed.items() if at == file and any(address in part for part in own)
    )


def _run(command: Sequence[str], name: str) -> tuple[str, list[tuple[Counter[tuple[str, int]], Counter[str]]]]:
    """Returns what the command prints, and for each dump what was executed at each address and by calls."""
    return callgrind.collect(command, name, lambda dump: (callgrind.executions(dump, name), callgrind.inclusive(dump)))
