"""Reads the memory of a process that runs. It is stopped only while what it can write is copied."""

import os
import platform
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from freehold_lab.errors import LabError
from freehold_lab.owners.image import kernel, maps, reading, registers, rights, room, stopping
from freehold_lab.owners.image.memory import Image, Segment
from freehold_lab.owners.image.reading import Bytes, Memory

Buffers = dict[tuple[int, int], Bytes]  # by the first address and the end


def read(pid: int, most_bytes: int | None = None) -> Image:
    """Returns the memory of process `pid`. Raises LabError if it cannot be read, or has written more than `most_bytes`.

    What nobody can write is read when the process runs on."""
    process = rights.check(pid)
    with ExitStack() as stack:
        try:
            buffers = prepare(process, most_bytes)
            with stopping.stopped(process) as halt:
                # Not by the number of the process: its first thread may have ended, and has no memory then.
                memory = stack.enter_context(Memory(halt.threads[0].id))
                segments = maps.segments(halt.threads[0].id)
                read_writable(memory, segments, buffers)
                kept = kernel.kept(process)
        except OSError as error:
            raise rights.refusal(process, error) from error
        memory.is_fast = False  # it would read another program if the process calls exec now
        read_constant(memory, segments)
    if not stopping.living(process):
        raise LabError(f"process {pid} ended while it was read; read it at its end: owners --at-exit -- PROGRAM")
    return Image(f"process {pid}", processor(), segments, halt.threads, files_of(process), halt.seconds, kept=kept)


def prepare(process: int, most_bytes: int | None) -> Buffers:
    """Returns a buffer for each segment that can be written. Raises LabError if there is not enough memory for it,
    and OSError.

    All is read once: the buffers then have their memory, the process has back what was swapped, and the copy that
    counts takes as long as copying takes."""
    task = next(iter(stopping.living(process)), process)
    segments = [each for each in maps.segments(task) if each.is_writable]
    buffers = {}
    with Memory(task) as memory:
        for segment, pages in check(process, memory, segments, most_bytes):
            buffer = buffers[segment.start, segment.end] = reading.reserve(segment.end - segment.start)
            memory.copy(segment, pages.runs, buffer)
            for first, last in pages.runs:
                buffer[first:last] = 0
    return buffers


def check(
    process: int, memory: Memory, segments: list[Segment], most_bytes: int | None
) -> list[tuple[Segment, maps.Pages]]:
    """Returns what must be read of each segment. Raises LabError if there is not enough memory for all."""
    found = [(each, maps.pages(memory.page_table, each)) for each in segments]
    touched = sum(pages.bytes for _, pages in found)
    if most_bytes is not None and touched > most_bytes:
        raise LabError(
            f"process {process} has written {touched >> 20:,} MiB, and the limit is {most_bytes >> 20:,} MiB: "
            f"raise it, or take a core (gcore -o core {process}) and read core.{process}"
        )
    room.check(process, touched, sum(pages.absent for _, pages in found))
    return found


def read_writable(memory: Memory, segments: list[Segment], buffers: Buffers) -> None:
    for each in segments:
        if each.is_writable:
            memory.fill(each, buffers.get((each.start, each.end)))


def read_constant(memory: Memory, segments: list[Segment]) -> None:
    """Reads what nobody can write: programs, libraries, and memory of no file."""
    begins = {}
    for each in segments:
        begin = np.zeros(4, np.uint8)
        if each.is_file and not maps.is_device(each) and memory.read(each.start, begin):
            begins[each.start] = begin.tobytes()
    modules = maps.modules(segments, begins)
    for each in segments:
        if not each.is_writable and (each.name in modules or maps.is_anonymous(each)):
            memory.fill(each)


def processor() -> str:
    return registers.BY_NAME[platform.machine()].processor


def files_of(process: int) -> Callable[[str], Path]:
    """Returns what finds a file that the process names."""
    root = f"/proc/{process}/root"
    try:
        if os.path.samefile(root, "/") and os.path.samefile(f"/proc/{process}/ns/mnt", "/proc/self/ns/mnt"):
            return Path
    except OSError:
        pass
    return lambda name: Path(root + name)
