"""The list of strategies, and choosing by name from it."""

import difflib
import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from freehold_lab import environment, folders
from freehold_lab.errors import LabError
from freehold_lab.model import Compiler, Findings, Record, Strategy
from freehold_lab.workloads import WORKLOADS

REFERENCE = Findings().reference
RUST = "rustc"  # what a strategy in Rust needs


class Description(Record):
    """What strategies.toml says of a strategy."""

    label: str
    family: Literal["baseline", "pointers", "peers"]
    needs: str = ""
    status: Literal["", "planned"] = ""
    workloads: list[Literal[*WORKLOADS]] = []


class Catalogue(Record):
    strategies: dict[str, Description]


class Entry(Description):
    """A strategy of the catalogue."""

    name: str

    def source(self) -> Path:
        """Returns the file that says what is measured."""
        suffix = ".rs" if self.needs == RUST else ".hpp"
        return folders.PROBES / "strategies" / self.family / f"{self.name}{suffix}"

    def is_here(self, compilers: Iterable[Compiler]) -> bool:
        """Says whether what the strategy needs is on this machine, for all of `compilers`."""
        if self.needs == RUST:
            return environment.has_rust()
        return not self.needs or all(environment.finds_includes(each, self.source()) for each in compilers)

    def strategy(self, here: bool) -> Strategy:
        """Returns the entry as it stands in a result; `here` says whether what it needs is on this machine."""
        if self.status == "planned":
            status, note = "planned", "not built yet"
        elif not here:
            status, note = "missing", f"install {self.needs}"
        else:
            status, note = "measured", ""
        return Strategy(
            name=self.name,
            label=self.label,
            family=self.family,
            status=status,
            note=note,
            workloads=self.workloads,
        )


def read(path: Path = folders.STRATEGIES) -> list[Entry]:
    """Returns the strategies in the order of the file, which is that of all tables."""
    try:
        described = Catalogue.model_validate(tomllib.loads(path.read_text())).strategies
    except tomllib.TOMLDecodeError as error:
        raise LabError(f"{path.name}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise LabError(f"{path.name}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    entries = [Entry(name=name, **dict(line)) for name, line in described.items()]
    for entry in entries:
        if entry.status != "planned" and not entry.source().exists():
            raise LabError(f"{path.name}: {entry.name} has no file {entry.source().relative_to(folders.ROOT)}")
    return entries


def select(entries: list[Entry], names: Collection[str]) -> list[Entry]:
    """Returns the entries called `names`, or all if there are none. The reference stays: all is measured against it."""
    check("strategy", names, [entry.name for entry in entries])
    return [entry for entry in entries if not names or entry.name in names or entry.name == REFERENCE]


def check(kind: str, names: Iterable[str], valid: Collection[str]) -> None:
    """Raises LabError for the first of `names` that is not `valid`."""
    for name in names:
        if name not in valid:
            close = difflib.get_close_matches(name, valid, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise LabError(f"there is no {kind} called {name}.{hint} Known: {', '.join(valid)}")
