"""Judges a program by further runs: what allocation costs at most, and what would be gained."""

import shlex
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from freehold_lab.advise import building, pythons
from freehold_lab.advise.analysis import summary
from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.answers import bound, predictions
from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.changes import advice, arenas, chains, control_blocks, growth, pools
from freehold_lab.advise.changes.candidate import Candidate
from freehold_lab.advise.replay import counting, cpu_time, replaying, timing
from freehold_lab.advise.work import Work
from freehold_lab.errors import LabError, say


def judge(work: Work, report: Report, names: Names) -> None:
    """Says what allocation costs at most, and where that is not little, what would be gained."""
    command = work.request.command
    say("running the program again, for its CPU time and its instructions …")
    used = counting.usage(command, work.stdin)
    steps = replaying.Steps(work.steps, report.summary.is_cxx)
    try:
        program = bound.Program(counting.instructions(command, stdin=work.stdin), used)
    except LabError as fault:
        _sample(work, report, steps, used, f"{fault}")
    else:
        _count(work, report, names, steps, program)
    if report.bound and report.bound.reasons and work.request.time:
        _time(work, report, used.seconds)


def _count(work: Work, report: Report, names: Names, steps: replaying.Steps, program: bound.Program) -> None:
    say("replaying its allocations …")
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


def _sample(work: Work, report: Report, steps: replaying.Steps, used: counting.Usage, fault: str) -> None:
    """Says what allocation costs at most of a program whose instructions cannot be counted."""
    say(f"{fault}: running the program once more, for samples of its CPU time …")
    sampled = cpu_time.of_allocation(work.request.command, work.stdin)
    report.bound = bound.of_samples(report.summary, used, sampled.share, steps.memory())
    report.notes.append(f"Nothing is predicted, but the bound by {sampled.told}: {fault}.")


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
    assert report.bound is not None
    most = report.bound.allocation
    others = [(each.allocator, predictions.of(each, usual, program, most)) for each in steps.under_all()]
    found = _candidates(report.summary, names)
    with ThreadPoolExecutor(replaying.AT_ONCE) as pool:
        changed = list(pool.map(lambda each: _replay(work, report, *each), enumerate(found)))
    of_sites = [
        predictions.of_site(each, usual, program, most, candidate.besides)
        for each, candidate in zip(changed, found, strict=True)
    ]
    report.predictions = [each for _, each in others]
    text = shlex.join(work.request.command)
    before = "".join(f"{name}={shlex.quote(value)} " for name, value in pythons.settings().items())
    chosen = advice.choose(others, list(zip(found, of_sites, strict=True)), usual.memory.peak, text)
    report.advice = [replace(each, confirm=before + each.confirm) for each in chosen]


def _candidates(found: summary.Summary, names: Names) -> list[Candidate]:
    places = chains.find(found, names)
    of_places = [*control_blocks.candidates(places), *growth.candidates(places), *pools.candidates(places)]
    return [*arenas.candidates(found, names), *of_places]


def _replay(work: Work, report: Report, number: int, change: Candidate) -> replaying.Replayed:
    steps = replaying.Steps(work.folder / f"steps-{number}")
    summary.read(building.analysis(), report.recording.file, report.process, steps.file, change.replayed)
    try:
        return steps.under(replaying.BUILT_IN)
    finally:
        steps.file.unlink()
