"""Stand-ins for the programs and probes of a machine, so that a test says what is there."""

from pathlib import Path

from freehold_lab.model import (
    Call,
    Code,
    Count,
    Data,
    Identity,
    Launch,
    Listing,
    Moment,
    Part,
    Peak,
    Point,
    Timeline,
)


def program(folder: Path, name: str, script: str = "") -> Path:
    """Puts a shell script called `name` into `folder`."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def compiler(folder: Path, name: str, version: str, clang: bool = False) -> Path:
    """Puts a compiler into `folder` that says its version in macros and does nothing else."""
    major, minor, patch = version.split(".")
    macros = {"__GNUC__": major, "__GNUC_MINOR__": minor, "__GNUC_PATCHLEVEL__": patch}
    if clang:
        macros = {"__GNUC__": 4, "__clang_major__": major, "__clang_minor__": minor, "__clang_patchlevel__": patch}
    return program(folder, name, "\n".join(f"echo '#define {macro} {value}'" for macro, value in macros.items()))


class Measuring:
    """Measures nothing and notes what it was asked for; `interrupt_after` launches or
    `interrupt_after_timelines`, the user presses Ctrl-C."""

    def __init__(self, interrupt_after: int = -1, interrupt_after_timelines: int = -1) -> None:
        self.interrupt_after = interrupt_after
        self.interrupt_after_timelines = interrupt_after_timelines
        self.followed = []
        self.launches = []
        self.scales = {}
        self.counted = []
        self.called = []

    def identify(self, executable):
        return Identity(compiler="a compiler", strategy=executable.name.removeprefix("probe_"), library="a library")

    def launch(self, executable, cell, scale, round_number):
        if len(self.launches) == self.interrupt_after:
            raise KeyboardInterrupt
        self.launches.append((round_number, cell))
        self.scales[cell.workload] = scale
        points = [Point(series="set", x=x, nanoseconds=10 + x) for x in (2, 4, 8)]
        return Launch(round=round_number, cell=cell, checksum=f"that of {cell.workload}", points=points)

    def count(self, executable, workloads, compiler, strategy, state, scale):
        self.counted.append((tuple(workloads), compiler, strategy, state))
        where = {"compiler": compiler, "strategy": strategy, "state": state}
        return [Count(workload=each, **where, series="set", x=2, instructions=100, locked=1) for each in workloads]

    def code_size(self, object_file, compiler, strategy):
        part = Part(instructions=1, bytes=4)
        where = {"compiler": compiler, "strategy": strategy}
        return [Code(**where, operation="ptr()", hot=part, cold=part, inlined=True, calls=[])]

    def listings(self, object_file, compiler, strategy):
        part = Part(instructions=1, bytes=1)
        where = {"compiler": compiler, "strategy": strategy}
        return [Listing(**where, function="on the stack", hot=part, cold=part, lines=["on_the_stack:", "    ret"])]

    def calls(self, executable, compiler, strategy):
        self.called.append((compiler, strategy))
        where = {"compiler": compiler, "strategy": strategy}
        return [Call(**where, function="on the stack", nodes=6, exclusive=1, inclusive=2)]

    def peaks(self, executable, workloads, compiler, strategy, scale, idle=False):
        where = {"compiler": compiler, "strategy": strategy}
        return [Peak(**where, workload=each, series="fresh", x=4, peak=4096, left=0) for each in workloads]

    def timelines(self, executable, workload, compiler, strategy):
        self.followed.append((workload, compiler, strategy))
        if len(self.followed) == self.interrupt_after_timelines:
            raise KeyboardInterrupt
        where = {"workload": workload, "compiler": compiler, "strategy": strategy, "series": "two steps"}
        moments = [Moment(milliseconds=x, used=4096, resident=8192) for x in (0, 1)]
        return [Timeline(**where, moments=moments, peak=8192, trimmed=4096, processor=1, system=1, faults=1)]

    def data_size(self, executable, compiler, strategy):
        return Data(compiler=compiler, strategy=strategy, handle=8, control=0, altogether=8)
