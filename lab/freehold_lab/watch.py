"""`./freehold watch`: figures that nothing makes noisy, and how they differ from those on record, as `./freehold test`
tells as well.

A record is a file of tests/watch for each compiler, which tells what it was made with: with anything else its figures
are not compared. Of every figure less is better.
"""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from freehold_lab import folders
from freehold_lab.errors import LabError, say
from freehold_lab.measure import watched
from freehold_lab.measure.watched import Kinds, Row
from freehold_lab.model import Compiler
from freehold_lab.setup import environment

RENEW = "./freehold watch --renew"
MADE_WITH = "made_with"
ABOUT = f"# What ./freehold test watches. Not edited by hand: {RENEW} writes it.\n"


def tolerance(figure: str, before: float) -> float:
    """Returns by how much a figure may differ from the one on record."""
    if figure == "KiB":  # whether stack and C library touch a page more, of 4, depends on where the system puts them
        return 16
    if figure == "lines":  # a header may grow a little of its own; what it includes is counted besides
        return before / 100
    return 0


@dataclass(frozen=True)
class Change:
    """`before` is None for a row that is not on record, `now` for one that is no longer measured."""

    row: str
    figure: str
    before: float | None
    now: float | None

    def is_worse(self) -> bool:
        return self.before is None or self.now is None or self.now > self.before

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.row}: new, and not on record"
        if self.now is None:
            return f"{self.row}: on record, and no longer measured"
        return f"{self.row}: {_named(self.figure, self.before)} before, {self.now:,.12g} now"


def show(renew: bool) -> int:
    """Prints every figure with every compiler that was found, and what changed. Returns the exit code: 1 if something
    is worse than on record. To `renew`, it records the figures instead."""
    environment.require_program("valgrind")
    compilers = environment.compilers()
    measured = watched.measure(compilers)
    all_well = True
    for compiler in compilers:
        now = measured[compiler.name]
        print(f"{watched.made_with(compiler)}:", *lines(now), sep="\n")
        if renew:
            print(record(compiler, now))
        elif not (reason := _reason_to_skip(environment.family(compiler), [compiler])):
            all_well &= _tell(compiler, now)
        else:
            say(reason)
    return 0 if all_well else 1


def holds() -> bool:
    """Prints what changed with each compiler that a record was made with, and says so if another is needed. Returns
    whether nothing is worse."""
    print("== watch", flush=True)
    if not environment.has_program("valgrind"):
        say("the watch is skipped: valgrind is missing")
        return True
    compilers = environment.compilers()
    for reason in filter(None, (_reason_to_skip(family, compilers) for family in environment.FAMILIES)):
        say(reason)
    comparable = [each for each in compilers if not _reason_to_skip(environment.family(each), compilers)]
    try:
        measured = watched.measure(comparable)
    except LabError as error:
        say(str(error))
        return False
    well = [_tell(compiler, measured[compiler.name]) for compiler in comparable]
    return all(well)


def compare(before: Kinds, now: Kinds) -> Iterator[Change]:
    """Yields what differs by more than the tolerance."""
    for kind in now | before:
        old, new = before.get(kind, {}), now.get(kind, {})
        for row in new | old:
            if row not in old or row not in new:
                yield Change(row, kind, None if row not in old else 0, None if row not in new else 0)
                continue
            for figure in new[row] | old[row]:
                was, is_now = old[row].get(figure, 0), new[row].get(figure, 0)
                if abs(is_now - was) > tolerance(figure, was):
                    yield Change(row, figure, was, is_now)


def lines(kinds: Kinds) -> Iterator[str]:
    for kind, rows in kinds.items():
        yield kind
        yield from (f"    {name:70} {_figures(row)}" for name, row in rows.items())


def record(compiler: Compiler, now: Kinds) -> str:
    """Writes the record of the compiler's family, and returns what was done. What the tolerance allows stays."""
    path = _path(environment.family(compiler))
    before = read(path)[1] if path.exists() else {}
    changed = {(change.row, change.figure) for change in compare(before, now)}
    kept = {
        kind: {
            name: {
                figure: value if (name, figure) in changed else before.get(kind, {}).get(name, row).get(figure, 0)
                for figure, value in row.items()
            }
            for name, row in rows.items()
        }
        for kind, rows in now.items()
    }
    write(path, watched.made_with(compiler), kept)
    return f"{path.relative_to(folders.ROOT)} is written"


def read(path: Path) -> tuple[str, Kinds]:
    """Returns what the record was made with, and its rows."""
    try:
        kinds = tomllib.loads(path.read_text())
        return kinds.pop(MADE_WITH), kinds
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise LabError(f"{path} is no record ({error}): {RENEW}") from error


def write(path: Path, made_with: str, kinds: Kinds) -> None:
    text = [ABOUT, f'{MADE_WITH} = "{made_with}"\n']
    for kind, rows in kinds.items():
        text += [f"\n[{kind}]\n", *(f'"{name}" = {{ {_pairs(row)} }}\n' for name, row in rows.items())]
    path.write_text("".join(text))


def _pairs(row: Row) -> str:
    return ", ".join(f"{figure} = {value:.12g}" for figure, value in row.items() if value)


def _figures(row: Row) -> str:
    return ", ".join(_named(figure, value) for figure, value in row.items() if value)


def _named(figure: str, value: float) -> str:
    return f"{figure.replace('_', ' ')} {value:,.12g}"


def _path(family: str) -> Path:
    return folders.WATCH / f"{family}.toml"


def _reason_to_skip(family: str, compilers: Iterable[Compiler]) -> str:
    """Says why figures cannot be compared with the record of this family."""
    path = _path(family)
    if not path.exists():
        return f"the watch of {family} is skipped: there is no {path.relative_to(folders.ROOT)}"
    wanted, _ = read(path)
    here = next((watched.made_with(each) for each in compilers if environment.family(each) == family), f"no {family}")
    return "" if here == wanted else f"the watch of {family} is skipped: it wants {wanted}; here is {here}"


def _tell(compiler: Compiler, now: Kinds) -> bool:
    """Prints what changed since the record. Returns whether nothing is worse."""
    changes = list(compare(read(_path(environment.family(compiler)))[1], now))
    for change in sorted(changes, key=Change.is_worse):
        ending = f"WORSE ({RENEW} if that is meant)" if change.is_worse() else f"better ({RENEW})"
        print(f"{compiler.name}: {change}: {ending}", flush=True)
    return not any(change.is_worse() for change in changes)
