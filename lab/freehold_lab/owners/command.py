"""Reads a process, a core, or a program that ends; prints who owns what, and writes the page."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from freehold_lab.errors import LabError, say
from freehold_lab.owners.answers import difference, page, saving, taking, terminal
from freehold_lab.owners.answers import report as reports
from freehold_lab.owners.answers.report import Report
from freehold_lab.owners.units import byte_count, duration

if TYPE_CHECKING:
    from freehold_lab.owners.image.memory import Image

PRINTED = Path("-")
MOST_DIGITS = 9  # of the number of a process
DIFFERENCE = Path("owners-difference.html")


@dataclass(frozen=True)
class Request:
    what: tuple[str, ...]  # a process, a core, or a program with its arguments
    who: str = ""
    json: Path | None = None
    output: Path | None = None
    sysroot: Path | None = None
    at_exit: bool = False
    children: bool = False
    every: str = ""
    most: str = "8G"


@dataclass(frozen=True)
class Files:
    page: Path | None
    report: Path | None

    def check(self) -> None:
        """Raises LabError if one cannot be written: before a process is stopped."""
        if self.page:
            saving.check(self.page, saving.PAGE)
        if self.report:
            saving.check(self.report, saving.REPORT)


def run(request: Request, diff: tuple[Path, Path] | None = None) -> None:
    """Raises LabError if something is asked for that does not go together, that cannot be read, or written."""
    _check(request, diff)
    if diff:
        _show_difference(difference.between(*map(reports.read, diff)), request.output or DIFFERENCE)
    elif request.at_exit:
        _run_to_its_end(request)
    elif request.every:
        from freehold_lab.owners import repeating

        most = byte_count(request.most)
        process = int(request.what[0])
        repeating.keep(process, duration(request.every), lambda: taking.take(_read(process, most), request.who))
    else:
        files = _files(request, Path(request.what[0]).name)
        files.check()
        report = taking.take(_image(request), request.who)
        _tell(report, request, files)


def _check(request: Request, diff: tuple[Path, Path] | None) -> None:
    if diff and request != Request((), output=request.output):
        raise LabError("--diff compares two reports, and takes no other option than --output")
    if diff:
        return
    if not request.what:
        raise LabError("owners needs a process, a core, or --at-exit -- PROGRAM (freehold owners --help says more)")
    if len(request.what) > 1 and not request.at_exit:
        raise LabError("owners reads one process or core; --at-exit -- PROGRAM ARGUMENTS runs a program")
    if request.children and not request.at_exit:
        raise LabError("--children are those of a program that --at-exit runs")
    if request.at_exit and (request.every or request.sysroot):
        raise LabError("--at-exit reads a program once, at its end: without --every and --sysroot")
    if request.at_exit and request.json == PRINTED:
        raise LabError("--json - would be mixed with what the program prints: name a file")
    if request.every and (request.json or request.output or not _is_number(request.what[0])):
        raise LabError("--every reads a process, and names the reports itself: without --json and --output")
    if request.sysroot and _is_number(request.what[0]):
        raise LabError("--sysroot is for a core; the files of a process are found")
    if _is_number(request.what[0]) and len(request.what[0]) > MOST_DIGITS:
        raise LabError(f"there is no process {request.what[0]}")
    byte_count(request.most)
    duration(request.every or "1s")


def _read(process: int, most: int) -> "Image":
    from freehold_lab.owners.image import live

    return live.read(process, most)


def _image(request: Request) -> "Image":
    (what,) = request.what
    if _is_number(what):
        return _read(int(what), byte_count(request.most))
    from freehold_lab.owners.image import core

    return core.read(Path(what), request.sysroot)


def _is_number(what: str) -> bool:
    return what.isascii() and what.isdigit()


def _run_to_its_end(request: Request) -> None:
    from freehold_lab.owners.image import ending

    faults: list[Exception] = []

    def tell(image: "Image") -> None:
        number = re.search("[0-9]+", image.source)
        try:
            _tell(taking.take(image, request.who), request, _files(request, number[0] if number else "at-exit"))
        except Exception as fault:  # told at the end: a program that is left before could not call exit
            faults.append(fault)

    _files(request, "PID").check()
    status = ending.run(request.what, tell, children=request.children, most_bytes=byte_count(request.most))
    if status:
        say(f"{request.what[0]} ended with {status}")
    if faults:
        raise faults[0]


def _files(request: Request, name: str) -> Files:
    """Returns what is written for a process or core with that name."""
    output = request.output
    report = None if request.json == PRINTED else request.json
    if request.children:  # each process has its own
        output = output and output.parent / f"{output.stem}-{name}{output.suffix}"
        report = report and report.parent / f"{report.stem}-{name}{report.suffix}"
    return Files(output or (None if request.json else Path(f"owners-{name}.html")), report)


def _tell(report: Report, request: Request, files: Files) -> None:
    """Prints the report, and writes what is asked for."""
    text = reports.write(report)
    if request.json == PRINTED:
        print(text.decode())
    else:
        terminal.show(report, Console())
    if files.report:
        saving.replace(files.report, text, saving.REPORT)
    if files.page:
        page.write(report, files.page)
        if request.json != PRINTED:
            print(f"the page: {files.page}")


def _show_difference(found: difference.Difference, path: Path) -> None:
    page.write_difference(found, path)
    terminal.show_difference(found, Console())
    print(f"the page: {path}")
