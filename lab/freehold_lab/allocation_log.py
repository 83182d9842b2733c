"""`./freehold log FILE`: reads what a logging_resource wrote, and says which resources the program could use."""

import csv
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from freehold_lab.errors import LabError
from freehold_lab.report.tables.model import Cell, Column, Row, Section, Table

COLUMNS = ["operation", "block", "bytes", "alignment"]


@dataclass
class Usage:
    """What a program did with a resource; bytes as they were asked for."""

    sizes: Counter[int] = field(default_factory=Counter)
    failures: int = 0
    frees: int = 0
    last_in_first_out: int = 0  # frees of the block that was then the latest
    bytes_altogether: int = 0
    most_bytes: int = 0
    most_blocks: int = 0
    largest_alignment: int = 0
    blocks_left: int = 0
    bytes_left: int = 0

    @property
    def allocations(self) -> int:
        return self.sizes.total()


def read(path: Path) -> Usage:
    """Raises LabError if the file cannot be read or is not a log."""
    try:
        with path.open(newline="", encoding="ascii") as file:
            lines = csv.reader(file)
            if next(lines, None) != COLUMNS:
                raise LabError(f"{path} is not a log of a logging_resource: it does not begin with {','.join(COLUMNS)}")
            return _follow(lines, path)
    except OSError as error:
        raise LabError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LabError(f"{path} is not a log of a logging_resource: it has other than plain letters") from error
    except csv.Error as error:
        raise LabError(f"{path} is not a log of a logging_resource: {error}") from error


def _follow(lines: Iterable[list[str]], path: Path) -> Usage:
    usage = Usage()
    live: dict[str, int] = {}  # bytes by block, the latest last
    for number, line in enumerate(lines, start=2):
        try:
            operation, block, size, alignment = line[0], line[1], int(line[2]), int(line[3])
            if operation == "allocate":
                live[block] = size
                usage.sizes[size] += 1
                usage.bytes_altogether += size
                usage.bytes_left += size
                usage.most_bytes = max(usage.most_bytes, usage.bytes_left)
                usage.most_blocks = max(usage.most_blocks, len(live))
                usage.largest_alignment = max(usage.largest_alignment, alignment)
            elif operation == "deallocate":
                usage.last_in_first_out += block == next(reversed(live), None)
                usage.bytes_left -= live.pop(block)
                usage.frees += 1
            elif operation == "fail":
                usage.failures += 1
            else:
                raise ValueError(operation)
        except (KeyError, IndexError, ValueError) as error:
            raise LabError(f"{path}, line {number}: this is no call of a resource: {','.join(line)!r}") from error
    usage.blocks_left = len(live)
    return usage


def section(usage: Usage, path: Path) -> Section:
    command = f"./freehold log {path}"
    return Section(
        workload="log",
        title=f"What {path.name} tells",
        legend=[],
        tables=[
            Table("Calls", [Column("")], [Row(label, [Cell(f"{n:,}")]) for label, n in _figures(usage)], command),
            Table("Sizes", [Column("blocks"), Column("of them")], _sizes(usage), command),
            Table("Which resource would do", [Column("", words=True)], _advice(usage), command),
        ],
    )


def _figures(usage: Usage) -> list[tuple[str, int]]:
    return [
        ("allocations", usage.allocations),
        ("allocations that failed", usage.failures),
        ("frees", usage.frees),
        ("frees of the latest block", usage.last_in_first_out),
        ("bytes altogether", usage.bytes_altogether),
        ("bytes at a time, at most", usage.most_bytes),
        ("blocks at a time, at most", usage.most_blocks),
        ("largest alignment, in bytes", usage.largest_alignment),
        ("blocks left", usage.blocks_left),
        ("bytes left", usage.bytes_left),
    ]


def _sizes(usage: Usage) -> list[Row]:
    """A row for each doubling of the size."""
    doublings: Counter[int] = Counter()
    for size, blocks in usage.sizes.items():
        doublings[1 << max(size - 1, 0).bit_length()] += blocks
    return [
        Row(f"up to {size:,} bytes", [Cell(f"{blocks:,}"), Cell(f"{blocks / usage.allocations:.1%}")])
        for size, blocks in sorted(doublings.items())
    ]


def _advice(usage: Usage) -> list[Row]:
    several = usage.bytes_altogether / max(usage.most_bytes, 1)
    monotonic = f"it would hold {usage.bytes_altogether:,} bytes at the end, {several:.1f} times what is needed at once"
    lifo = usage.last_in_first_out == usage.frees
    stack = "every block is the latest when it is freed" if lifo else "no: blocks are freed in another order"
    return [
        Row("monotonic_resource", [Cell(monotonic)]),
        Row("stack_resource", [Cell(stack)]),
        Row("pool_resource", [Cell("where one thread uses it at a time")]),
        Row("concurrent_pool_resource", [Cell("always")]),
    ]
