"""`./freehold run`: builds, measures, and draws what was found."""

import os
import re
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Thread

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from freehold_lab import build, catalogue, folders, store
from freehold_lab.errors import LabError, say
from freehold_lab.measure.session import Session
from freehold_lab.model import Compiler, Result
from freehold_lab.plan import FULL, QUICK, Plan
from freehold_lab.setup import environment
from freehold_lab.workloads import BY_NAME, ONLY_WHOLE, SIZES, WITH_CODE, WORKLOADS

NOT_QUICK = ("large", "huge")


@dataclass(frozen=True)
class Request:
    """What the user asked for. No names stand for all."""

    output: Path = folders.RESULTS
    quick: bool = False
    size: str = ""
    count: bool = True
    workloads: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    compilers: tuple[str, ...] = ()
    everything: bool = False

    def command(self) -> str:
        """Returns the command that measures the same again."""
        flags = {"--quick": self.quick, "--no-count": not self.count}
        named = {"--compiler": self.compilers, "--only": self.workloads, "--strategy": self.strategies}
        named = {"--size": (self.size,) if self.size else (), **named}
        words = [flag for flag, given in flags.items() if given]
        words += [f"{option} {name}" for option, names in named.items() for name in names]
        return " ".join(["./freehold run", *words])


def check(request: Request) -> None:
    """Raises LabError for what is wrong with `request` on any machine, before anything is installed."""
    catalogue.check("workload", request.workloads, WORKLOADS)
    catalogue.check("size", [request.size] if request.size else [], SIZES)
    # The versions may be about to be installed.
    families = [name.rstrip("0123456789").removesuffix("-") for name in request.compilers]
    catalogue.check("compiler", families, environment.FAMILIES)
    named = catalogue.select(catalogue.read(), request.strategies)
    workloads = _workloads(request)
    if request.strategies and not any(each.name in request.strategies and each.takes_part(workloads) for each in named):
        raise LabError(f"none of {', '.join(request.strategies)} takes part in {', '.join(workloads)}")
    if request.quick and request.size in NOT_QUICK:
        raise LabError(f"--quick ends within 3 minutes, and --size {request.size} takes an hour or more: drop one")
    store.prepare(request.output)


def needless(request: Request) -> set[str]:
    """Returns the packages of peers that `request` does without."""
    workloads = _workloads(request)
    needed = set().union(*(each.needed() for each in _entries(request) if each.takes_part(workloads)))
    return set().union(*(each.needed() for each in catalogue.read())) - needed


def build_ahead(request: Request) -> None:
    """Builds what needs no more than a compiler, while more is being installed. What fails here is left to `run`."""
    workloads = _workloads(request)
    entries = [each for each in _entries(request) if each.takes_part(workloads) and not (each.needs or each.tool)]
    load_report()
    with suppress(LabError), _progress_bar() as bar:
        build.build(_compilers(request.compilers), entries, _only_whole(workloads), bar)


def run(request: Request) -> int:
    """Carries out a checked request, and returns the exit code."""
    pace = QUICK if request.quick else FULL
    deadline = _started() + pace.seconds
    compilers = _compilers(request.compilers)
    workloads = _workloads(request)
    entries = [each for each in _entries(request) if each.takes_part(workloads)]
    with ThreadPoolExecutor() as pool:  # the compilers are asked what they find
        strategies = list(pool.map(lambda each: each.strategy(compilers), entries))
    measured = {each.name for each in strategies if each.status == "measured"}
    plan = Plan(
        workloads=workloads,
        compilers=tuple(each.name for each in compilers),
        strategies=tuple(each for each in strategies if each.name in measured),
        count=request.count,
        pace=pace,
        size=request.size,
    )
    _require_programs(plan)

    loading = load_report()
    with _progress_bar() as bar:
        build.build(compilers, [each for each in entries if each.name in measured], _only_whole(workloads), bar)
    loading.join()  # nothing is timed beside it
    result = Result(
        freehold=_version(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        quick=request.quick,
        plan=plan.digest(_built(plan)),
        command=request.command(),
        machine=environment.machine(),
        compilers=compilers,
        strategies=strategies,
        notes=_notes(request, compilers),
    )
    latest = request.output / "latest.json"
    result = _make_way(latest, result.plan) or result
    try:
        with _progress_bar() as bar:
            Session(plan, result, deadline, bar, lambda: store.save(result, latest)).measure()
    except KeyboardInterrupt:
        say(f"interrupted: the figures so far are in {latest}; run the same command again to resume")
        return 130
    from freehold_lab import statistics

    result.findings = statistics.find(result)
    result.complete = True
    store.save(result, latest)
    draw(result, latest, request.everything)
    return 0


def draw(result: Result, path: Path, everything: bool = False) -> None:
    """Shows `result`, which is saved at `path`, in the terminal and writes its page beside it."""
    from freehold_lab.report import html, terminal

    page = path.with_suffix(".html")
    terminal.show(result, Console(), everything)
    html.write(result, page)
    say(f"result: {path}, page: {page}")


@cache
def load_report() -> Thread:
    """Loads what a report is drawn with while the compilers work: it takes seconds, of one processor."""

    def load() -> None:
        from freehold_lab.report import html

        html.warm_up()

    loading = Thread(target=load)
    loading.start()
    return loading


def _progress_bar() -> Progress:
    """Returns a bar on stderr, as stdout is for the report. Without a terminal only its end is printed."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
    )


def _started() -> float:
    """Returns when the command was started, on the clock of time.monotonic: before anything was installed for it."""
    return float(os.environ.get("FREEHOLD_STARTED", time.monotonic()))


def _compilers(names: tuple[str, ...]) -> list[Compiler]:
    """Returns the compilers called `names`, such as "g++-12" or just "g++"; all if there are none."""
    found = environment.compilers()
    if not found:
        raise LabError("no compiler for C++20 was found: install g++ (12 or newer) or clang (16 or newer)")
    by_name = {name: each for each in found for name in (each.name, environment.family(each))}
    catalogue.check("compiler", names, by_name)
    return [each for each in found if not names or each in map(by_name.get, names)]


def _workloads(request: Request) -> tuple[str, ...]:
    """Returns the workloads that are asked for: by name, or by default all that the pace leaves time for."""
    if request.workloads:
        return tuple(name for name in WORKLOADS if name in request.workloads)
    left_out = {*BY_NAME, *(ONLY_WHOLE if request.quick else ())}
    return tuple(name for name in WORKLOADS if name not in left_out)


def _only_whole(workloads: Collection[str]) -> bool:
    return any(each in ONLY_WHOLE for each in workloads)


def _entries(request: Request) -> list[catalogue.Entry]:
    """Returns the strategies that are asked for: by name, or by default all that the pace leaves time for."""
    entries = catalogue.select(catalogue.read(), request.strategies)
    return [each for each in entries if each.quick or request.strategies or not request.quick]


def _built(plan: Plan) -> list[Path]:
    """Returns the files that a plan measures."""
    with_code = [workload for workload in plan.workloads if workload in WITH_CODE]
    objects = [build.object_file(*pair, workload) for workload in with_code for pair in plan.pairs_in(workload)]
    return [build.probe(*pair) for pair in plan.pairs()] + objects


def _require_programs(plan: Plan) -> None:
    environment.require_program("cmake")
    environment.require_program("ninja")
    if plan.counted() and not environment.has_program("valgrind"):
        raise LabError("valgrind is missing: install valgrind, or pass --no-count to do without instruction counts")


def _notes(request: Request, compilers: list[Compiler]) -> list[str]:
    """Returns what cannot be measured and why, save for strategies, whose own notes say so."""
    notes = []
    if not request.count:
        notes.append("instructions and locked operations were not counted, as --no-count asked")
    if not request.compilers:
        found = map(environment.family, compilers)
        absent = environment.FAMILIES.keys() - found
        notes += [f"{name} was not found: install {environment.FAMILIES[name].package}" for name in absent]
    return notes


def _make_way(latest: Path, plan: str) -> Result | None:
    """Returns the result at `latest` if it is of the same plan and unfinished; else moves it out of the way."""
    if not latest.exists():
        return None
    try:
        earlier = store.load(latest)
    except LabError as error:
        say(f"{error}; it is now {store.set_aside(latest)}")
        return None
    if earlier.complete or earlier.plan != plan:
        store.keep(latest, earlier)
        return None
    say(f"resuming the run started at {earlier.started}")
    return earlier


def _version() -> str:
    found = re.search(r'#define FREEHOLD_VERSION "(.+)"', folders.VERSION.read_text())
    if not found:
        raise LabError(f"{folders.VERSION} names no version")
    return found[1]
