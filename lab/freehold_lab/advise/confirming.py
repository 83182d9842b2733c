"""Compares a changed program with the one that was advised on, and says whether it keeps what was promised."""

import re
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from freehold_lab.advise import given, pythons
from freehold_lab.advise.interval import Interval
from freehold_lab.advise.replay import counting, timing
from freehold_lab.errors import LabError, say
from freehold_lab.heap.page import signed_size

PROMISE = re.compile(r"([+-]\d+(?:\.\d+)?)%:([+-]\d+(?:\.\d+)?)%")
KEPT, BROKEN = 0, 1


@dataclass(frozen=True)
class Confirmation:
    changed: str  # a program, or a library that is preloaded
    command: tuple[str, ...]
    promised: str = ""  # -56.0%:-37.4% of the instructions


def command(changed: str, promised: Interval, program: str) -> str:
    """Returns what confirms that a change keeps what was predicted of its instructions."""
    return f"./freehold advise --confirm {changed} --promised={promised.low:+.1%}:{promised.high:+.1%} -- {program}"


def run(asked: Confirmation) -> int:
    """Returns 1 if a promise was broken or the changed program does something else. Raises LabError."""
    if not asked.changed:
        raise LabError("--promised is of a change: ./freehold advise --confirm CHANGED --promised=LOW:HIGH -- PROGRAM")
    if not asked.command:
        raise LabError(
            "--confirm needs the program as it was: ./freehold advise --confirm CHANGED -- PROGRAM ARGUMENTS"
        )
    promised = _read(asked.promised) if asked.promised else None
    usual = timing.Way("the program", asked.command)
    changed = _way(asked)
    with tempfile.TemporaryDirectory(prefix="freehold-advise-") as folder:
        stdin = given.keep(Path(folder))
        _expect_same_answer(usual, changed, stdin)
        say("counting the instructions of both …")
        counts = [
            counting.instructions(each.command, each.preload, stdin, settings=each.settings)
            for each in (usual, changed)
        ]
        say(f"timing {timing.ROUNDS} runs of each …")
        timed = timing.compare(usual, [changed], stdin)[0]
    change = counts[1] / counts[0] - 1
    is_kept = promised is None or change <= promised.high
    _show(change, timed, promised, Console())
    return KEPT if is_kept else BROKEN


def _read(text: str) -> Interval:
    found = PROMISE.fullmatch(text)
    if not found:
        raise LabError(f"{text} is no promise: one has two shares of the instructions, such as -56.0%:-37.4%")
    low, high = sorted(float(each) / 100 for each in found.groups())
    return Interval(low, (low + high) / 2, high)


def _way(asked: Confirmation) -> timing.Way:
    if not Path(asked.changed).is_file():
        raise LabError(
            f"there is no file {asked.changed}: --confirm needs the changed program, or a library to preload"
        )
    if re.search(r"\.so[.\d]*$", asked.changed):
        return timing.Way(asked.changed, asked.command, str(Path(asked.changed).resolve()), pythons.settings())
    return timing.Way(
        asked.changed, (str(Path(asked.changed).resolve()), *asked.command[1:]), settings=pythons.settings()
    )


def _expect_same_answer(usual: timing.Way, changed: timing.Way, stdin: Path | None) -> None:
    answers = [counting.answer(each.command, each.preload, stdin, each.settings) for each in (usual, changed)]
    if answers[0] != answers[1]:
        what = "ends with another status" if answers[0][0] != answers[1][0] else "prints something else"
        raise LabError(f"{changed.name} {what} than {shlex.join(usual.command)}: nothing is compared")


def _show(change: float, timed: timing.Timed, promised: Interval | None, console: Console) -> None:
    words = f"instructions: {_signed(change)}"
    if promised:
        words += f"; promised were {promised.percent}: {_judgement(change, promised)}"
    console.print(Text(words, style="bold"), soft_wrap=True)
    console.print(Text(f"time: {timed.told}, of {timing.ROUNDS} runs"), soft_wrap=True)
    console.print(Text(f"peak memory: {signed_size(round(timed.peak.value))}"), soft_wrap=True)


def _judgement(change: float, promised: Interval) -> str:
    if change > promised.high:
        return "broken"
    return "kept" if change >= promised.low else "kept, and more"


def _signed(share: float) -> str:
    return f"{share:+.1%}".replace("-", "−")
