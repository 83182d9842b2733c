"""Records a program, and says whether it should allocate in another way."""

import shlex
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from freehold_lab.advise import building, given, pythons
from freehold_lab.advise.analysis import summary
from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.answers import (
    advice,
    batches,
    bound,
    heaptrack,
    page,
    pprof,
    predictions,
    sites,
    speedscope,
    terminal,
    unseen,
)
from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.record import programs, recording
from freehold_lab.advise.replay import counting, replaying, timing
from freehold_lab.errors import LabError, say
from freehold_lab.heap.page import size
from freehold_lab.owners.answers import saving
from freehold_lab.owners.units import byte_count


@dataclass(frozen=True)
class Request:
    command: tuple[str, ...]
    rerun: bool = False  # the program may be run again, which only its user can know
    time: bool = False  # also again and again, with each allocator
    sample: str = ""  # only one block in so many bytes is recorded
    output: Path | None = None  # a page
    speedscope: Path | None = None  # exports
    pprof: Path | None = None
    heaptrack: Path | None = None


@dataclass(frozen=True)
class Work:
    request: Request
    folder: Path
    stdin: Path | None  # what was given, where the program is run more than once
    sampled: int = 0  # in so many bytes, a block is recorded; 0: all are

    @property
    def steps(self) -> Path:
        return self.folder / "steps"


def run(request: Request) -> int:
    """Returns what the program ended with. Raises LabError."""
    if not request.command:
        raise LabError("advise needs a program: ./freehold advise -- PROGRAM ARGUMENTS")
    if request.time and not request.rerun:
        raise LabError("--time runs the program many times more, so it needs --rerun, which allows that")
    sampled = byte_count(request.sample) if request.sample else 0
    for option in ("rerun", "heaptrack"):
        if sampled and getattr(request, option):
            raise LabError(f"--{option} needs every call, and --sample leaves most of them out: choose one")
    if request.output:
        saving.check(request.output, page.MARK)  # before the program runs
    if request.speedscope:
        saving.check(request.speedscope, speedscope.MARK)
    if request.pprof:
        saving.check(request.pprof, pprof.MARK)
    if request.heaptrack:
        heaptrack.check(request.heaptrack)
    with tempfile.TemporaryDirectory(prefix="freehold-advise-") as folder:
        work = Work(request, Path(folder), given.keep(Path(folder)) if request.rerun else None, sampled)
        recorded = _record(work)
        report = _report(work, recorded)
        terminal.show(report, Console())
        if request.output:
            page.write(report, request.output)
            print(f"the page: {request.output}")
        if request.speedscope:
            speedscope.write(report.summary, request.speedscope)
            print(f"the profiles: {request.speedscope}")
        if request.pprof:
            pprof.write(report.summary, request.pprof, recorded.sampled)
            print(f"the profile: {request.pprof}")
        if request.heaptrack:
            heaptrack.write(recorded, report.process, report.summary, request.heaptrack, work.folder)
            print(f"for heaptrack: {request.heaptrack}")
        return recorded.status if recorded.status >= 0 else 128 - recorded.status


def _record(work: Work) -> recording.Recording:
    programs.expect_machine()
    program = programs.inspect(work.request.command[0])
    if program:
        program.expect_recordable()
    recorder = building.recorder()
    building.analysis()  # a fault here should be told before the program runs
    if work.stdin is None:
        found = recording.record(work.request.command, recorder, work.folder / "recording", sampled=work.sampled)
    else:
        with work.stdin.open("rb") as stdin:
            found = recording.record(work.request.command, recorder, work.folder / "recording", stdin)
    if found.busiest is None:
        why = program.hides if program else ""
        most = max([found.resident, *(each.resident for each in found.processes)])
        raise LabError(
            f"{work.request.command[0]} called no allocator that can be recorded: "
            f"{why or 'it has an allocator of its own, or more rights than its user'}"
            f"{f'; {size(most)} were resident at most' if most else ''}"
        )
    return found


def _report(work: Work, recorded: recording.Recording) -> Report:
    process = recorded.busiest
    assert process is not None
    found = summary.read(building.analysis(), recorded.file, process, work.steps)
    names = Names(found.modules)
    report = Report(recorded, process, found, sites.groups(found.sites, names), notes=_notes(recorded, process, found))
    if recorded.sampled:
        return report
    if not shutil.which("valgrind"):
        report.notes.append("Nothing is predicted: valgrind, which counts instructions, is not installed.")
    elif not work.request.rerun:
        report.notes.append(
            "--rerun also says what could be gained: it runs the program twice more, with the same input."
        )
    elif recorded.status < 0:
        report.notes.append("Nothing is predicted: a program that a signal has ended might not end by itself.")
    elif process != 0 and recorded.processes[process].pid == recorded.processes[0].pid:
        name = found.modules[0] if found.modules else "another"
        report.notes.append(f"Nothing is predicted: the program becomes {name}, which can be advised on by itself.")
    elif process != 0:
        report.notes.append("Nothing is predicted: most is allocated in a child, which cannot be run by itself.")
    else:
        try:
            _judge(work, report, names)
        except LabError as fault:  # what was recorded is told all the same
            report.notes.append(f"Nothing is predicted: {fault}.")
    return report


def _notes(recorded: recording.Recording, process: int, found: summary.Summary) -> list[str]:
    notes = []
    if recorded.sampled:
        notes.append(
            f"All figures are estimates from {found.samples:,} samples, one in {size(recorded.sampled)}; batches and "
            "predictions need every call, without --sample."
        )
    if recorded.fault:
        notes.append(f"The recording ended before the program did: {recorded.fault}.")
    notes += [unseen.note(found, recorded.processes[process].resident), pythons.note(found)]
    if recorded.lost:
        notes.append(f"{recorded.lost:,} events were lost.")
    if found.of_unknown:
        notes.append(f"{found.of_unknown:,} frees were of blocks from before the recording or the fork.")
    if recorded.status < 0:
        notes.append(f"The program was ended by signal {-recorded.status}.")
    if recorded.waited > 0.1:
        notes.append(f"The program waited {recorded.waited:.1f} s for the recording.")
    return [each for each in notes if each]


def _judge(work: Work, report: Report, names: Names) -> None:
    """Says what allocation costs at most, and where that is not little, what would be gained."""
    command = work.request.command
    say("running the program again, for its CPU time and its instructions …")
    used = counting.usage(command, work.stdin)
    program = bound.Program(counting.instructions(command, stdin=work.stdin), used)
    say("replaying its allocations …")
    steps = replaying.Steps(work.steps, report.summary.is_cxx)
    usual = steps.under(replaying.BUILT_IN)
    if settings := pythons.settings():
        usual = _against_plain(work, usual, program, settings)
    report.bound = bound.of(report.summary, program, usual.instructions, steps.without_allocator(), usual.memory)
    if not report.bound.reasons:
        return
    if report.bound.threads == 1:
        _predict(work, report, names, program, usual)
    elif not work.request.time:
        report.notes.append("Nothing is predicted for several threads: --time runs the program with each allocator.")
    if work.request.time:
        _time(work, report, used.seconds)


def _against_plain(
    work: Work, usual: replaying.Replayed, plain: bound.Program, settings: Mapping[str, str]
) -> replaying.Replayed:
    """Returns what the calls would take if the recorded run took as much as the plain one."""
    command, memory = work.request.command, usual.memory
    more = counting.instructions(command, stdin=work.stdin, settings=settings) - plain.instructions
    bytes_more = counting.usage(command, work.stdin, settings=settings).peak - plain.usage.peak
    # How often the plain run gives pages back is not known.
    less = replaying.Memory(memory.whole - bytes_more, memory.peak - bytes_more, faults=0)
    return replace(usual, instructions=usual.instructions - more, memory=less)


def _time(work: Work, report: Report, seconds: float) -> None:
    others = replaying.allocators()
    runs = timing.ROUNDS * (len(others) + 2)
    say(f"timing {runs} runs with the same input, about {seconds * runs:,.0f} s …")
    ways = [timing.Way(each.name, work.request.command, each.preload, pythons.settings()) for each in others]
    report.times = timing.compare(timing.Way("the C library's", work.request.command), ways, work.stdin)


def _predict(work: Work, report: Report, names: Names, program: bound.Program, usual: replaying.Replayed) -> None:
    steps = replaying.Steps(work.steps, report.summary.is_cxx)
    others = [(each.allocator, predictions.of(each, usual, program.instructions)) for each in steps.under_all()]
    text = shlex.join(work.request.command)
    before = "".join(f"{name}={shlex.quote(value)} " for name, value in pythons.settings().items())
    nodes = batches.candidates(report.summary)
    places = [batches.place(node, report.summary) for node in nodes]
    names.look_up_lines(places)
    arenas = []
    for node, place in zip(nodes, places, strict=True):
        in_arena = replaying.Steps(work.folder / "arena")
        summary.read(building.analysis(), report.recording.file, report.process, in_arena.file, node.number)
        replayed = in_arena.under(replaying.BUILT_IN)
        predicted = predictions.of(replayed, usual, program.instructions, predictions.OF_ARENA)
        arenas.append(advice.of_arena(node, place, names, predicted, text))
    report.predictions = [each for _, each in others]
    chosen = advice.choose(others, arenas, usual.memory.peak, text)
    report.advice = [replace(each, confirm=before + each.confirm) for each in chosen]
