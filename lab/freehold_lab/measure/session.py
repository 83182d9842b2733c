"""Measures what a plan asks for and the result does not have yet, so that an interrupted run resumes."""

import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from rich.progress import Progress

from freehold_lab import build
from freehold_lab.errors import LabError
from freehold_lab.measure import code_size, counting, heap_or_stack, probe
from freehold_lab.model import Call, Cell, Count, Peak, Result, State, Timeline
from freehold_lab.plan import Plan
from freehold_lab.workloads import HEAP_OR_STACK, MEMORY

Found = TypeVar("Found")
# They mostly idle, and take up to half a GB each.
FOLLOWED_AT_ONCE = 4
CountRun = tuple[str, str, State]  # compiler, strategy and state: what one process counts at once


@dataclass
class Session:
    """`deadline`, on the clock of time.monotonic, is when the last round of timing should end."""

    plan: Plan
    result: Result
    deadline: float
    progress: Progress
    save: Callable[[], None]

    def measure(self) -> None:
        """Measures what the result lacks. The result is saved in any case."""
        try:
            self._identify()
            self._sizes()
            self._peaks()
            self._timelines()
            self._count()
            self._count_calls()
            self._time()
        finally:
            self.save()

    def _identify(self) -> None:
        if not self.result.identities:
            self.result.identities = [probe.identify(build.probe(*pair)) for pair in self.plan.pairs()]

    def _sizes(self) -> None:
        if "code-size" in self.plan.workloads and not self.result.code:
            self.result.code = [
                code
                for pair in self.plan.pairs_in("code-size")
                for code in code_size.read(build.object_file(*pair, "code-size"), *pair)
            ]
        if "data-size" in self.plan.workloads and not self.result.data:
            self.result.data = [probe.data_size(build.probe(*pair), *pair) for pair in self.plan.pairs_in("data-size")]
        if HEAP_OR_STACK in self.plan.workloads and not self.result.listings:
            self.result.listings = [
                listing
                for pair in self.plan.pairs_in(HEAP_OR_STACK)
                for listing in heap_or_stack.read(build.object_file(*pair, HEAP_OR_STACK), *pair)
            ]

    def _peaks(self) -> None:
        if self.result.peaks:
            return
        found: list[Peak] = []
        runs: dict[tuple[str, str], list[str]] = {}
        for workload, compiler, strategy in self.plan.with_peaks():
            if workload in MEMORY:
                runs.setdefault((compiler, strategy), []).append(workload)
            else:  # a program can take most of the memory there is
                executable, scale = build.probe(compiler, strategy), self.plan.scale(workload)
                found += probe.peaks(executable, [workload], compiler, strategy, scale)
        self._on_every_core("memory", found, self._peaks_of, runs, runs.values())
        self.result.peaks = found

    def _peaks_of(self, pair: tuple[str, str], workloads: list[str]) -> list[Peak]:
        scale = self.plan.scale(workloads[0])
        return probe.peaks(build.probe(*pair), workloads, *pair, scale, idle=not self.result.quick)

    def _timelines(self) -> None:
        followed = {(each.workload, each.compiler, each.strategy) for each in self.result.timelines}
        left = [each for each in self.plan.timelines() if each not in followed]
        self._at_once(FOLLOWED_AT_ONCE, "memory over time", self.result.timelines, self._timelines_of, left)

    def _timelines_of(self, where: tuple[str, str, str]) -> list[Timeline]:
        workload, *pair = where
        return probe.timelines(build.probe(*pair), workload, *pair)

    def _count(self) -> None:
        counted = {(each.compiler, each.strategy, each.state, each.workload) for each in self.result.counts}
        runs: dict[CountRun, list[str]] = {}
        for each in self.plan.counted_subjects():
            run = (each.compiler, each.strategy, each.state)
            if (*run, each.workload) not in counted:
                runs.setdefault(run, []).append(each.workload)
        self._on_every_core("counting", self.result.counts, self._count_one, runs, runs.values())

    def _count_one(self, run: CountRun, workloads: list[str]) -> list[Count]:
        compiler, strategy, state = run
        scale = self.plan.pace.count_scale
        return counting.count(build.probe(compiler, strategy), workloads, compiler, strategy, state, scale)

    def _count_calls(self) -> None:
        counted = {(each.compiler, each.strategy) for each in self.result.calls}
        pairs = [pair for pair in self.plan.counted_calls() if pair not in counted]
        self._on_every_core("counting calls", self.result.calls, self._count_calls_of, pairs)

    def _count_calls_of(self, pair: tuple[str, str]) -> list[Call]:
        return heap_or_stack.count(build.probe(*pair), *pair)

    def _on_every_core(
        self, title: str, counted: list[Found], count: Callable[..., list[Found]], *arguments: Collection[Any]
    ) -> None:
        """Adds to `counted` what `count` returns for each of its arguments. Counts and bytes have no noise, so every
        core may count at once. Nothing is timed meanwhile."""
        self._at_once(self.result.machine.cores, title, counted, count, *arguments)

    def _at_once(
        self,
        workers: int,
        title: str,
        counted: list[Found],
        count: Callable[..., list[Found]],
        *arguments: Collection[Any],
    ) -> None:
        if not arguments[0]:
            return
        bar = self.progress.add_task(title, total=len(arguments[0]))
        with ThreadPoolExecutor(workers) as pool:
            try:
                for found in pool.map(count, *arguments):
                    counted += found
                    self.progress.advance(bar)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _time(self) -> None:
        pace, launches = self.plan.pace, self.result.launches
        cells = len(self.plan.round(0))
        if cells == 0:
            return
        done = {(launch.round, launch.cell) for launch in launches}
        rounds = max(pace.least_rounds, len(done) // cells + 1)
        bar = self.progress.add_task("timing", total=rounds * cells, completed=len(done))
        started = time.monotonic()
        for number in range(pace.most_rounds):
            if number >= rounds:
                break
            for cell in self.plan.round(number):
                if (number, cell) not in done:
                    self._launch(cell, number)
                    now = time.monotonic()
                    pause = (now - started) / (len(launches) - len(done))
                    rounds = pace.rounds(len(launches) / cells, (self.deadline - now) / (pause * cells))
                    self.progress.update(bar, total=rounds * cells, completed=len(launches))
            self.save()

    def _launch(self, cell: Cell, number: int) -> None:
        executable = build.probe(cell.compiler, cell.strategy)
        launch = probe.launch(executable, cell, self.plan.scale(cell.workload), number)
        expected = next((each.checksum for each in self.result.launches if each.cell.workload == cell.workload), None)
        if launch.checksum != (expected or launch.checksum):
            raise LabError(f"checksum mismatch in {cell.workload}: {cell.strategy} differs from the others")
        self.result.launches.append(launch)
