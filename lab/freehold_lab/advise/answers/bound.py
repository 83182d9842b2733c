"""How much of a program allocation costs at all. Where that is little, nothing should be changed."""

from dataclasses import dataclass

from freehold_lab.advise.analysis.summary import Summary
from freehold_lab.advise.replay.counting import Usage
from freehold_lab.advise.replay.replaying import Memory
from freehold_lab.heap.page import size

SMALL = 0.03  # a share of the program
MOST_PEAK = 1.2  # times what lives
LEAST_PEAK = 2 << 20  # bytes more, that are noise
PAGE = 4096


@dataclass(frozen=True)
class Program:
    """What the program takes by itself, from runs without the recorder."""

    instructions: int
    usage: Usage


@dataclass(frozen=True)
class Bound:
    allocation: float  # shares of the program that an allocator that does nothing would save
    unit: str  # of what that is a share
    kernel: float
    peak: int  # bytes, of the heap
    live: int
    threads: int

    @property
    def told(self) -> str:
        """Returns how much allocation is."""
        return f"{self.allocation:.1%} of the {self.unit}"

    @property
    def reasons(self) -> list[str]:
        """What another way to allocate could change: empty if nothing."""
        found = []
        if self.allocation >= SMALL:
            found.append(f"allocation is {self.told}")
        if self.kernel >= SMALL:
            found.append(f"memory that is given back and taken again is {self.kernel:.1%} of the CPU time")
        if self.peak > self.live * MOST_PEAK and self.peak - self.live > LEAST_PEAK:
            found.append(f"the heap takes {size(self.peak)} for {size(self.live)} that live")
        if self.threads > 1:
            found.append(f"{self.threads} threads allocate, of whose waiting for one another nothing is known")
        return found


def of(summary: Summary, program: Program, usual: int, nothing: int, memory: Memory) -> Bound:
    """`usual` and `nothing` are the instructions of the replay with the C library's allocator and with none."""
    return Bound(
        allocation=max(usual - nothing, 0) / max(program.instructions, 1),
        unit="instructions",
        kernel=_kernel(program.usage, memory),
        peak=memory.peak,
        live=summary.most_bytes,
        threads=summary.threads,
    )


def of_samples(summary: Summary, usage: Usage, share: float, memory: Memory) -> Bound:
    """`share` is that of the CPU time, at most."""
    return Bound(share, "CPU time at most", _kernel(usage, memory), memory.peak, summary.most_bytes, summary.threads)


def _kernel(usage: Usage, memory: Memory) -> float:
    """Returns the share of the CPU time for pages that the heap had before, as if the kernel did nothing but such."""
    again = max(memory.faults - memory.peak // PAGE, 0)
    for_each = usage.system / max(usage.faults, 1)
    return min(again * for_each / max(usage.cpu, 0.001), 1.0)
