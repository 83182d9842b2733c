"""Builds the probes with one compiler, under build/lab/<compiler>."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.progress import Progress

from freehold_lab import folders, process
from freehold_lab.catalogue import Entry
from freehold_lab.errors import LabError
from freehold_lab.model import Compiler
from freehold_lab.setup import crates, environment


def build(compilers: list[Compiler], entries: list[Entry], only_whole: bool, progress: Progress) -> None:
    """Builds `entries` with all `compilers` at once: one configures while another compiles. `only_whole` adds what only
    a whole run measures."""
    # What Ninja would run at once with one compiler: that many fit into memory.
    jobs = (environment.machine().cores + 2) // len(compilers)
    with ThreadPoolExecutor() as pool:
        for _ in pool.map(lambda compiler: _build(compiler, entries, only_whole, max(jobs, 1), progress), compilers):
            pass


def _build(compiler: Compiler, entries: list[Entry], only_whole: bool, jobs: int, progress: Progress) -> None:
    folder = _folder(compiler.name)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "build.log"
    log.write_text("")
    bar = progress.add_task(f"building with {compiler.name}", total=1)

    def heard(line: str) -> None:
        if step := re.match(r"\[(\d+)/(\d+)\]", line):
            progress.update(bar, completed=int(step[1]), total=int(step[2]))

    configure = [
        *("cmake", "-S", str(folders.PROBES), "-B", str(folder), "-G", "Ninja"),
        f"-DCMAKE_CXX_COMPILER={compiler.path}",
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_CXX_FLAGS_RELEASE={compiler.flags}",
        f"-DFREEHOLD_LAB_ONLY_WHOLE={'ON' if only_whole else 'OFF'}",
        *strategy_options([each for each in entries if each.built_with([compiler])]),
    ]
    for command in (configure, ["cmake", "--build", str(folder), "--parallel", str(jobs)]):
        if process.log(command, log, heard, NINJA_STATUS="[%f/%t] ") != 0:
            raise LabError(f"{compiler.name} cannot build the probes: {_first_error(log)} (all of it in {log})")
    progress.update(bar, completed=progress.tasks[bar].total)


def strategy_options(entries: list[Entry]) -> list[str]:
    """Returns the options that tell CMake what to build, and how."""
    return [
        f"-DFREEHOLD_LAB_STRATEGIES={';'.join(f'{each.family}/{each.name}' for each in entries)}",
        f"-DFREEHOLD_LAB_CRATES={crates.FOLDER if any(crates.NEEDED in each.needed() for each in entries) else ''}",
        *(f"-DFREEHOLD_LAB_CRATE_{each.name}={each.crate}" for each in entries if each.crate),
        *(f"-DFREEHOLD_LAB_OPTIONS_{each.name}={options}" for each in entries if (options := each.all_options())),
        *(f"-DFREEHOLD_LAB_LIBRARIES_{each.name}={each.libraries}" for each in entries if each.libraries),
    ]


def probe(compiler: str, strategy: str) -> Path:
    return _folder(compiler) / f"probe_{strategy}"


def object_file(compiler: str, strategy: str, workload: str) -> Path:
    """Returns the object file that the code of `strategy` in `workload` is read from."""
    return _folder(compiler) / workload.replace("-", "_") / f"{strategy}.o"


def _folder(compiler: str) -> Path:
    return folders.LAB_BUILD / compiler


def _first_error(log: Path) -> str:
    lines = log.read_text().splitlines()
    errors = (line for line in lines if re.search(r"\berror(\[E\d+\])?: |^CMake Error", line))
    return next(errors, lines[-1] if lines else "no output").strip()
