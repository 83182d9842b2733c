"""Runs a program with the recorder in it."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from freehold_lab.advise.record.keeping import Keeper
from freehold_lab.advise.record.layout import NO_PARENT, Shared
from freehold_lab.errors import LabError


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int | None  # the number of the process that it was forked from
    event_bytes: int  # before they were compressed
    resident: int = 0  # bytes at most, without those of files


@dataclass(frozen=True)
class Recording:
    file: Path
    command: tuple[str, ...]
    processes: tuple[Process, ...]
    status: int  # as the program ended: negative, a signal
    seconds: float
    cpu: float  # seconds, with those of processes that it waited for
    waits: int  # of the program, for this command
    waited: float  # seconds
    lost: int  # events
    cut: int  # sites whose callers were not all found
    fault: str  # why it ended before the program
    sampled: int = 0  # the mean distance in bytes between samples; 0: all is recorded
    resident: int = 0  # as of a process, of a program that has none
    unrecorded: int = 0  # programs that were begun without the recorder
    unrecorded_names: tuple[str, ...] = ()  # of the first of them

    @property
    def busiest(self) -> int | None:
        """The number of the process with the most events, or None if there were none."""
        most = max(range(len(self.processes)), key=lambda each: self.processes[each].event_bytes, default=None)
        return most if most is not None and self.processes[most].event_bytes else None


def record(
    command: Sequence[str],
    recorder: Path,
    file: Path,
    stdin: IO[bytes] | None = None,
    stdout: IO[bytes] | None = None,
    sampled: int = 0,
) -> Recording:
    """Runs the program to its end. Raises LabError if it cannot be started."""
    shared = Shared(sampled)
    preloaded = " ".join(filter(None, [str(recorder), os.environ.get("LD_PRELOAD", "")]))
    environment = os.environ | {"LD_PRELOAD": preloaded, "FREEHOLD_RECORDING": shared.path}
    keeper = Keeper(shared, file)
    started = time.monotonic()
    try:
        with _Ending() as ending:
            process = subprocess.Popen(command, env=environment, stdin=stdin, stdout=stdout)
            ending.passes_to(process)
            keeper.resident.root = process.pid
            status, cpu = _wait(process)
    except OSError as error:
        raise LabError(f"cannot run {command[0]}: {error.strerror}") from error
    finally:
        seconds = time.monotonic() - started
        keeper.finish()
    header = shared.header
    found = header["process"][: int(header["processes"])]
    return Recording(
        file=file,
        command=tuple(command),
        processes=tuple(
            Process(
                int(each["pid"]),
                None if each["parent"] == NO_PARENT else int(each["parent"]),
                keeper.event_bytes[number],
                keeper.resident.most.get(number, 0),
            )
            for number, each in enumerate(found)
        ),
        status=status,
        seconds=seconds,
        cpu=cpu,
        waits=int(header["waits"]),
        waited=int(header["waited_nanoseconds"]) / 1e9,
        lost=int(header["lost"]),
        cut=int(header["cut"]),
        fault=f"{keeper.fault.strerror}" if keeper.fault else "",
        sampled=sampled,
        resident=keeper.resident.most.get(None, 0),
        unrecorded=int(header["unrecorded"]),
        unrecorded_names=tuple(each.decode(errors="replace") for each in header["unrecorded_name"].tolist() if each),
    )


class _Ending:
    """SIGTERM, which is for the program, also where it comes before the program has begun."""

    def __enter__(self) -> Self:
        self._process: subprocess.Popen[bytes] | None = None
        self._has_come = False
        self._before = signal.signal(signal.SIGTERM, self._come)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._before)

    def passes_to(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        if self._has_come:
            process.terminate()

    def _come(self, *_: object) -> None:
        self._has_come = True
        if self._process:
            self._process.terminate()


def _wait(process: "subprocess.Popen[bytes]") -> tuple[int, float]:
    """Returns how the program ended, and its CPU time. Ctrl-C is for the program, which has it from the terminal."""
    while True:
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except KeyboardInterrupt:
            continue
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_utime + usage.ru_stime
