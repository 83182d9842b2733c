"""What is asked of this command, and where it works."""

from dataclasses import dataclass
from pathlib import Path


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
    sampled: int = 0  # the mean distance in bytes between samples; 0: all is recorded

    @property
    def steps(self) -> Path:
        return self.folder / "steps"
