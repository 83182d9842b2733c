"""Records a program, and says whether it should allocate in another way."""

import shlex
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from freehold_lab.advise import building, given
from freehold_lab.advise.analysis import summary
from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.answers import advice, batches, bound, page, predictions, sites, speedscope, terminal
from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.record import recording
from freehold_lab.advise.replay import counting, replaying, timing
from freehold_lab.errors import LabError, say
from freehold_lab.owners.answers import saving


@dataclass(frozen=True)
class Request:
    command: tuple[str, ...]
    rerun: bool = False  # the program may be run again, which only its user can know
    time: bool = False  # also again and again, with each allocator
    output: Path | None = None  # a page
    speedscope: Path | None = None  # an export


@dataclass(frozen=True)
class Work:
    request: Request
    folder: Path
    stdin: Path | None  # what was given, where the program is run more than once

    @property
    def steps(self) -> Path:
        return self.folder / "steps"


def run(request: Request) -> int:
    """Returns what the program ended with. Raises LabError."""
    if not request.command:
        raise LabError("advise needs a program: ./freehold advise -- PROGRAM ARGUMENTS")
    if request.time and not request.rerun:
        raise LabError("--time runs the program many times more, so it needs --rerun, which allows that")
    if request.output:
        saving.check(request.output, page.MARK)  # before the program runs
    if request.speedscope:
        saving.check(request.speedscope, speedscope.MARK)
    with tempfile.TemporaryDirectory(prefix="freehold-advise-") as folder:
        work = Work(request, Path(folder), given.keep(Path(folder)) if request.rerun else None)
        recorded = _record(work)
        report = _report(work, recorded)
        terminal.show(report, Console())
        if request.output:
            page.write(report, request.output)
            print(f"the page: {request.output}")
        if request.speedscope:
            speedscope.write(report.summary, request.speedscope)
            print(f"the profiles: {request.speedscope}")
        return recorded.status if recorded.status >= 0 else 128 - recorded.status


def _record(work: Work) -> recording.Recording:
    recorder = building.recorder()
    building.analysis()  # a fault here should be told before the program runs
    if work.stdin is None:
        found = recording.record(work.request.command, recorder, work.folder / "recording")
    else:
        with work.stdin.open("rb") as stdin:
            found = recording.record(work.request.command, recorder, work.folder / "recording", stdin)
    if found.busiest is None:
        raise LabError(
            f"{work.request.command[0]} called no allocator that can be recorded: it is linked statically, has an "
            "allocator of its own, or has more rights than its user"
        )
    return found


def _report(work: Work, recorded: recording.Recording) -> Report:
    process = recorded.busiest
    assert process is not None
    found = summary.read(building.analysis(), recorded.file, process, work.steps)
    names = Names(found.modules)
    report = Report(recorded, process, found, sites.groups(found.sites, names), notes=_notes(recorded, found))
    if not shutil.which("valgrind"):
        report.notes.append("Nothing is predicted: valgrind, which counts instructions, is not installed.")
    elif not work.request.rerun:
        report.notes.append(
            "--rerun also says what could be gained: it runs the program twice more, with the same input."
        )
    elif recorded.status < 0:
        report.notes.append("Nothing is predicted: a program that a signal has ended might not end by itself.")
    elif process != 0:
        report.notes.append("Nothing is predicted: most is allocated in a child, which cannot be run by itself.")
    else:
        try:
            _judge(work, report, names)
        except LabError as fault:  # what was recorded is told all the same
            report.notes.append(f"Nothing is predicted: {fault}.")
    return report


def _notes(recorded: recording.Recording, found: summary.Summary) -> list[str]:
    notes = []
    if recorded.fault:
        notes.append(f"The recording ended before the program did: {recorded.fault}.")
    if recorded.lost:
        notes.append(f"{recorded.lost:,} events were lost.")
    if found.of_unknown:
        notes.append(f"{found.of_unknown:,} frees were of blocks from before the recording or the fork.")
    if recorded.status < 0:
        notes.append(f"The program was ended by signal {-recorded.status}.")
    if recorded.waited > 0.1:
        notes.append(f"The program waited {recorded.waited:.1f} s for the recording.")
    return notes


def _judge(work: Work, report: Report, names: Names) -> None:
    """Says what allocation costs at most, and where that is not little, what would be gained."""
    command = work.request.command
    say("running the program again, for its CPU time and its instructions …")
    used = counting.usage(command, work.stdin)
    program = bound.Program(counting.instructions(command, stdin=work.stdin), used)
    say("replaying its allocations …")
    steps = replaying.Steps(work.steps, report.summary.is_cxx)
    usual = steps.under(replaying.BUILT_IN)
    report.bound = bound.of(report.summary, program, usual.instructions, steps.without_allocator(), usual.memory)
    if not report.bound.reasons:
        return
    if report.bound.threads == 1:
        _predict(work, report, names, program, usual)
    elif not work.request.time:
        report.notes.append("Nothing is predicted for several threads: --time runs the program with each allocator.")
    if work.request.time:
        _time(work, report, used.seconds)


def _time(work: Work, report: Report, seconds: float) -> None:
    others = replaying.allocators()
    runs = timing.ROUNDS * (len(others) + 2)
    say(f"timing {runs} runs with the same input, about {seconds * runs:,.0f} s …")
    ways = [timing.Way(each.name, work.request.command, each.preload) for each in others]
    report.times = timing.compare(timing.Way("the C library's", work.request.command), ways, work.stdin)


def _predict(work: Work, report: Report, names: Names, program: bound.Program, usual: replaying.Replayed) -> None:
    steps = replaying.Steps(work.steps, report.summary.is_cxx)
    others = [(each.allocator, predictions.of(each, usual, program.instructions)) for each in steps.under_all()]
    text = shlex.join(work.request.command)
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
    report.advice = advice.choose(others, arenas, usual.memory.peak, text)
