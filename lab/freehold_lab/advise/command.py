"""Records a program, and says whether it should allocate in another way."""

import tempfile
from pathlib import Path

from rich.console import Console

from freehold_lab.advise import building, given, judging, pythons
from freehold_lab.advise.analysis import summary
from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.answers import heaptrack, page, pprof, sites, speedscope, terminal, unseen
from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.record import programs, recording
from freehold_lab.advise.work import Request, Work
from freehold_lab.errors import LabError, say
from freehold_lab.heap.page import size
from freehold_lab.owners.answers import saving
from freehold_lab.owners.units import byte_count
from freehold_lab.process import exit_code


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
        if recorded.busiest is None:
            _tell_nothing(recorded, programs.inspect(request.command[0]))
            return exit_code(recorded.status)
        report = _report(work, recorded, recorded.busiest)
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
        return exit_code(recorded.status)


def expect_alone(request: Request, option: str) -> None:
    """Raises LabError where what another option asks for would not be done."""
    for name in ("rerun", "time", "sample", "output", "speedscope", "pprof", "heaptrack"):
        if getattr(request, name):
            raise LabError(f"--{name} goes with a recording, and {option} makes none")


def _record(work: Work) -> recording.Recording:
    programs.expect_machine()
    program = programs.inspect(work.request.command[0])
    if program:
        program.expect_recordable()
    recorder = building.recorder()
    building.analysis()  # a fault here should be told before the program runs
    if work.stdin is None:
        return recording.record(work.request.command, recorder, work.folder / "recording", sampled=work.sampled)
    with work.stdin.open("rb") as stdin:
        return recording.record(work.request.command, recorder, work.folder / "recording", stdin)


def _tell_nothing(recorded: recording.Recording, program: programs.Program | None) -> None:
    if recorded.processes and program and not program.hides:
        print(f"{recorded.command[0]} allocates nothing. Change nothing.")
    else:
        why = program.hides if program else ""
        most = max([recorded.resident, *(each.resident for each in recorded.processes)])
        say(
            f"{recorded.command[0]} called no allocator that can be recorded: "
            f"{why or 'it has an allocator of its own, or more rights than its user'}"
            f"{f'; {size(most)} were resident at most' if most else ''}"
        )
    if text := unseen.programs(recorded):
        print(text)


def _report(work: Work, recorded: recording.Recording, process: int) -> Report:
    found = summary.read(building.analysis(), recorded.file, process, work.steps)
    names = Names(found.modules)
    report = Report(recorded, process, found, sites.groups(found.sites, names), notes=_notes(recorded, process, found))
    if recorded.sampled:
        return report
    if recorded.status < 0:
        report.notes.append("Nothing is predicted: a program that a signal has ended might not end by itself.")
    elif process != 0 and recorded.processes[process].pid == recorded.processes[0].pid:
        name = found.modules[0] if found.modules else "another"
        report.notes.append(f"Nothing is predicted: the program becomes {name}, which can be advised on by itself.")
    elif process != 0:
        report.notes.append("Nothing is predicted: most is allocated in a child, which cannot be run by itself.")
    elif not (work.request.rerun or given.leave(recorded.seconds)):
        report.notes.append(
            "--rerun also says what could be gained: it runs the program twice more, with the same input."
        )
    else:
        try:
            judging.judge(work, report, names)
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
    notes += [unseen.programs(recorded), unseen.note(found, recorded.processes[process].resident), pythons.note(found)]
    if recorded.lost:
        notes.append(f"{recorded.lost:,} events were lost.")
    if found.of_unknown:
        notes.append(f"{found.of_unknown:,} frees were of blocks from before the recording or the fork.")
    if recorded.status < 0:
        notes.append(f"The program was ended by signal {-recorded.status}.")
    if recorded.waited > 0.1:
        notes.append(f"The program waited {recorded.waited:.1f} s for the recording.")
    return [each for each in notes if each]
