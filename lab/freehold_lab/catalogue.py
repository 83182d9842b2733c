"""The list of strategies, and choosing by name from it."""

import difflib
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, ValidationError

from freehold_lab import folders
from freehold_lab.errors import LabError
from freehold_lab.model import Compiler, Record, Strategy
from freehold_lab.setup import by_hand, crates, environment
from freehold_lab.workloads import ALL, FAMILIES, REFERENCES, WORKLOADS


@dataclass(frozen=True)
class Language:
    """Another language than C++: its files, and a command that succeeds if its compiler works."""

    suffix: str
    question: tuple[str, ...]


# By what a strategy in it needs: a package, or a tool that the user brings. That the program is there is not enough:
# rustup can leave one behind that has no toolchain.
LANGUAGES = {
    "ocaml": Language(".ml", ("ocamlopt", "-version")),
    "rustc": Language(".rs", ("rustc", "--version")),
    "default-jdk-headless": Language(".java", ("javac", "-version")),
    "go": Language(".go", ("go", "version")),
}


def one_of(names: Collection[str]) -> AfterValidator:
    """Returns what makes a name that is none of `names` an error."""

    def known(name: str) -> str:
        if name not in names:
            raise ValueError(f"{name} is none of {', '.join(names)}")
        return name

    return AfterValidator(known)


class Description(Record):
    """What strategies.toml says of a strategy."""

    label: str
    family: Annotated[str, one_of(FAMILIES)]
    needs: str = ""
    tool: Annotated[str, one_of(["", *by_hand.TOOLS])] = ""
    crate: str = ""
    status: Literal["", "planned"] = ""
    workloads: list[Annotated[str, one_of(WORKLOADS)]] | None = None
    compilers: list[Annotated[str, one_of(environment.FAMILIES)]] = []
    options: str = ""
    libraries: str = ""
    virtual_machine: bool = False
    counted: bool = True
    sole: bool = False
    quick: bool = True


class Catalogue(Record):
    strategies: dict[str, Description]


class Entry(Description):
    """A strategy of the catalogue."""

    name: str

    def language(self) -> Language | None:
        """Returns the language that the strategy is in, unless that is C++."""
        return LANGUAGES.get(self.tool or self.needs)

    def source(self) -> Path:
        """Returns the file that says what is measured."""
        language = self.language()
        suffix = language.suffix if language else ".hpp"
        return folders.PROBES / "strategies" / self.family / f"{self.name}{suffix}"

    def takes_part(self, workloads: Collection[str]) -> bool:
        """Says whether the strategy takes part in any of `workloads`."""
        return any(each in workloads for each in self._workloads())

    def built_with(self, compilers: Iterable[Compiler]) -> list[Compiler]:
        """Returns those of `compilers` that the strategy is for."""
        return [each for each in compilers if not self.compilers or environment.family(each) in self.compilers]

    def is_here(self, compilers: Iterable[Compiler]) -> bool:
        """Says whether what the strategy needs is on this machine, for all of `compilers` that it is for."""
        if self.crate and not (crates.are_here() and environment.has_program(crates.NEEDED)):
            return False
        if self.tool and by_hand.TOOLS[self.tool]().lacking:
            return False
        if language := self.language():
            return environment.succeeds(*language.question)
        if self.needs == crates.NEEDED:
            return crates.are_here()
        return not self.needs or all(
            environment.finds_includes(each, self.source(), self.all_options()) for each in self.built_with(compilers)
        )

    def all_options(self) -> str:
        """Returns the strategy's options, and those that have the compiler use a tool that is here."""
        return " ".join(filter(None, [self.options, by_hand.TOOLS[self.tool]().options if self.tool else ""]))

    def needed(self) -> set[str]:
        """Returns the packages that the strategy needs."""
        return {self.needs, crates.NEEDED} if self.crate else {self.needs}

    def strategy(self, compilers: Collection[Compiler]) -> Strategy:
        """Returns the entry as it stands in the result of a run with `compilers`."""
        built_with = self.built_with(compilers)
        if self.status == "planned":
            status, note = "planned", "not built yet"
        elif not built_with:
            status, note = "missing", f"only with {' or '.join(self.compilers)}"
        elif not self.is_here(compilers):
            status, note = "missing", self._lacking()
        else:
            status, note = "measured", ""
        return Strategy(
            name=self.name,
            label=self.label,
            family=self.family,
            status=status,
            note=note,
            workloads=self._workloads(),
            compilers=[each.name for each in built_with] if self.compilers else [],
            virtual_machine=self.virtual_machine,
            counted=self.counted,
        )

    def _lacking(self) -> str:
        """Returns what to do so that the strategy can be measured."""
        if self.tool:
            return by_hand.TOOLS[self.tool]().lacking
        return f"install {' and '.join(sorted(self.needed()))}"

    def _workloads(self) -> list[str]:
        own = FAMILIES[self.family] if self.workloads is None else self.workloads
        return [each.name for each in ALL.values() if each.name in own or self.name in each.strategies]


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
    """Returns the entries called `names`, or all if there are none. What they are measured against is of them."""
    check("strategy", names, [entry.name for entry in entries])
    named = [entry for entry in entries if entry.name in names]
    references = {REFERENCES[workload] for workload in WORKLOADS if any(each.takes_part([workload]) for each in named)}
    return [entry for entry in entries if not names or entry in named or entry.name in references]


def check(kind: str, names: Iterable[str], valid: Collection[str]) -> None:
    """Raises LabError for the first of `names` that is not `valid`."""
    for name in names:
        if name not in valid:
            close = difflib.get_close_matches(name, valid, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise LabError(f"there is no {kind} called {name}.{hint} Known: {', '.join(valid)}")
