"""What a run measures, in what order, and how long it may take."""

import hashlib
import itertools
import json
import random
from dataclasses import asdict, dataclass
from pathlib import Path

from freehold_lab.model import Cell, State, Strategy
from freehold_lab.workloads import (
    HEAP_OR_STACK,
    MEMORY,
    PROGRAMS,
    SCALES,
    SEVERAL_THREADS,
    TIMED,
    TIMELINES,
    UNCOUNTED,
    WITH_PEAKS,
    reference,
)

MORE_MEMORY = 10  # times the scale, where a workload of memory is measured alone


@dataclass(frozen=True)
class Pace:
    """How far a run goes: as many rounds as fit in `seconds` from its start, but at least `least_rounds`, below which
    the figures mean little, and at most `most_rounds`, beyond which they hardly improve. Programs have a scale of
    their own when nothing else is measured, and else the usual one."""

    seconds: float
    least_rounds: int
    most_rounds: int
    scale: int
    program_scale: int
    count_scale: int

    def rounds(self, done: float, fitting: float) -> int:
        """Returns how many rounds a run comes to of which `done` are done and `fitting` more fit in its time."""
        return min(max(int(done + fitting), self.least_rounds), self.most_rounds)


# The seconds count from the start of the command, installation included, and leave time to draw the report within 3 and
# 15 minutes. Callgrind is some fifty times slower than the processor, and its counts have no noise, so it has a scale
# of its own.
QUICK = Pace(
    seconds=120,
    least_rounds=3,
    most_rounds=10,
    scale=10_000,
    program_scale=SCALES["usual"],
    count_scale=1_000,
)
FULL = Pace(
    seconds=840,
    least_rounds=4,
    most_rounds=40,
    scale=100_000,
    program_scale=SCALES["alone"],
    count_scale=10_000,
)


@dataclass(frozen=True)
class Plan:
    workloads: tuple[str, ...]
    compilers: tuple[str, ...]
    strategies: tuple[Strategy, ...]
    count: bool
    pace: Pace
    size: str = ""

    def scale(self, workload: str) -> int:
        """Returns how large `workload` is to be."""
        if workload in MEMORY:
            return self.pace.scale * (MORE_MEMORY if self.workloads == (workload,) else 1)
        if workload not in PROGRAMS:
            return self.pace.scale
        if self.size:
            return SCALES[self.size]
        return self.pace.program_scale if all(each in PROGRAMS for each in self.workloads) else SCALES["usual"]

    def counted(self) -> bool:
        return bool(self.counted_subjects() or self.counted_calls())

    def pairs(self) -> list[tuple[str, str]]:
        """Returns every compiler with the strategies that are built with it: a probe each."""
        return [(compiler, strategy.name) for compiler, strategy in self._pairs()]

    def pairs_in(self, workload: str) -> list[tuple[str, str]]:
        """Returns those pairs whose strategy takes part in `workload`."""
        return [(compiler, strategy.name) for compiler, strategy in self._pairs() if strategy.takes_part(workload)]

    def with_peaks(self) -> list[tuple[str, str, str]]:
        """Returns the workloads whose memory is measured, each with a compiler and a strategy that take it."""
        wanted = [workload for workload in self.workloads if workload in WITH_PEAKS]
        return [(workload, *pair) for workload in wanted for pair in self.pairs_in(workload)]

    def timelines(self) -> list[tuple[str, str, str]]:
        """Returns the workloads whose memory is followed over time, each with a compiler and a strategy: the first
        compiler, as the memory does not depend on it."""
        return [
            (workload, compiler, strategy)
            for workload in self.workloads
            if workload in TIMELINES
            for compiler, strategy in self.pairs_in(workload)
            if compiler == self.compilers[0]
        ]

    def subjects(self) -> list[Cell]:
        """Returns all that is timed: every strategy under every compiler, in both states unless the work is that of
        several threads, or the runtime has some, as a virtual machine."""
        return [
            Cell(workload=workload, compiler=compiler, strategy=strategy.name, state=state)
            for workload, state in itertools.product(self._timed(), State)
            for compiler, strategy in self._pairs()
            if strategy.takes_part(workload)
            if state is State.THREADED or not (workload in SEVERAL_THREADS or strategy.virtual_machine)
        ]

    def counted_subjects(self) -> list[Cell]:
        """Returns those subjects whose instructions are counted."""
        return [
            each
            for each in self.subjects()
            if self.count and each.workload not in UNCOUNTED and each.strategy in self._countable()
        ]

    def counted_calls(self) -> list[tuple[str, str]]:
        """Returns the pairs whose calls of heap-or-stack's functions are counted."""
        pairs = self.pairs_in(HEAP_OR_STACK) if self.count and HEAP_OR_STACK in self.workloads else []
        return [(compiler, strategy) for compiler, strategy in pairs if strategy in self._countable()]

    def controls(self) -> list[Cell]:
        """Returns the twins of the reference: what differs between twins is noise."""
        measured = [strategy.name for strategy in self.strategies]
        return [
            subject.model_copy(update={"control": True})
            for subject in self.subjects()
            if subject.strategy == reference(subject.workload, measured)
        ]

    def round(self, number: int) -> list[Cell]:
        """Returns every timed cell in the random order of a round: the same one when a run is resumed."""
        cells = self.subjects() + self.controls()
        random.Random(number).shuffle(cells)
        return cells

    def digest(self, built: list[Path]) -> str:
        """Returns what tells two plans apart. What was `built` stands for the sources, the compilers and the flags."""
        digest = hashlib.sha256(json.dumps(asdict(self), default=Strategy.model_dump).encode())
        for file in built:
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()

    def _pairs(self) -> list[tuple[str, Strategy]]:
        return [
            (compiler, strategy)
            for compiler, strategy in itertools.product(self.compilers, self.strategies)
            if strategy.is_built_with(compiler)
        ]

    def _countable(self) -> set[str]:
        return {each.name for each in self.strategies if each.counted and not each.virtual_machine}

    def _timed(self) -> list[str]:
        return [workload for workload in self.workloads if workload in TIMED]
