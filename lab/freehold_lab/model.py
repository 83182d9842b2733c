"""The one model of a result: what a run writes, and all that a report is drawn from.

Everything measured is kept raw (a figure per launch and point), so that any statistic can be
recomputed from a saved file; `findings` holds the statistics of the run itself, for readers of
the JSON. Times are nanoseconds of thread CPU time, or of wall-clock time where threads work at once.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from freehold_lab.workloads import REFERENCES, WORKLOADS

SCHEMA = 2
MOST_LETTERS = 20_000  # of a text
MOST_MOMENTS = 61  # of a timeline


def _is_known(workload: str) -> str:
    if workload not in WORKLOADS:
        raise ValueError(f"there is no workload called {workload[:50]}")
    return workload


# A result may come from anywhere: figures beyond these bounds are no measurements, and break what is computed of them.
Name = Annotated[str, Field(min_length=1)]
WorkloadName = Annotated[str, AfterValidator(_is_known)]
Size = Annotated[int, Field(ge=1, le=10**12)]
Bytes = Annotated[int, Field(ge=-(10**15), le=10**15)]
Quotient = Annotated[float, Field(gt=0, le=1e18, allow_inf_nan=False)]
Finite = Annotated[float, Field(ge=-1e18, le=1e18, allow_inf_nan=False)]
Span = Annotated[float, Field(ge=0, le=1e18, allow_inf_nan=False)]


class Record(BaseModel):
    """Base of every part of the model: unknown or missing fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_max_length=MOST_LETTERS)


class State(StrEnum):
    """Whether the measured process had started a second thread before it measured."""

    ALONE = "alone"
    THREADED = "threaded"


class Machine(Record):
    processor: str
    cores: int
    kernel: str
    libc: str


class Compiler(Record):
    """A compiler that was found; `name` is its key everywhere else, e.g. "g++-12"."""

    name: str
    path: str
    version: str
    flags: str


class Strategy(Record):
    """A line of strategies.toml, and whether it could be measured here."""

    name: str
    label: str
    family: str
    status: Literal["measured", "missing", "planned"]
    note: str = Field("", description='what to install, or "not built yet"')
    workloads: list[str] = Field(description="those it takes part in")
    compilers: list[str] = Field([], description="the names of those it is built with, where it is not all of them")
    virtual_machine: bool = Field(
        False, description="it runs on one, or its runtime has threads: always in threads, and not to be counted"
    )
    counted: bool = Field(True, description="Valgrind can run it")

    def takes_part(self, workload: str) -> bool:
        return workload in self.workloads

    def is_built_with(self, compiler: str) -> bool:
        return not self.compilers or compiler in self.compilers


class Identity(Record):
    """What a probe says of itself: proof of which library it was compiled against."""

    compiler: str
    strategy: str
    library: str = Field(description='e.g. "Boost 1.74.0", "libstdc++ 20220819", "Freehold 0.1.0"')


class Cell(Record):
    """One thing that is timed in a process of its own. `control` marks the A/A twin of the reference."""

    workload: WorkloadName
    compiler: str
    strategy: str
    state: State
    control: bool = False


class Point(Record):
    """The median over the batches of one launch. What `x` is a number of, workloads.toml says."""

    series: Name
    x: Size
    nanoseconds: Finite


class Launch(Record):
    """One process launch: all the points of one cell, measured in round `round`."""

    round: int
    cell: Cell
    checksum: str
    points: list[Point]


class Count(Record):
    """Executed instructions and locked read-modify-writes for one iteration at `x` (callgrind)."""

    workload: WorkloadName
    compiler: str
    strategy: str
    state: State
    series: Name
    x: Size
    instructions: Finite
    locked: Finite | None = Field(description="none where callgrind could not tell")


class Part(Record):
    """A stretch of machine code."""

    instructions: Bytes
    bytes: Bytes


class Peak(Record):
    """The resident memory that a workload took, in bytes beyond what its process had before."""

    workload: WorkloadName
    compiler: str
    strategy: str
    series: Name
    x: Size
    peak: Bytes
    left: Bytes = Field(description="when all was freed and every resource ended")
    resident: Bytes | None = Field(None, description="present at the end of the work, where memory is to come back")
    idle: Bytes | None = Field(
        None, description="present when all was freed, the resource trimmed if it can be, and two seconds had passed"
    )
    unfreed: Bytes | None = Field(
        None, description="the most objects that were replaced and not yet freed, where threads may still read them"
    )
    collections: Bytes | None = Field(None, description="the runs of a garbage collector, where there is one")
    median_pause: Bytes | None = Field(None, description="of those runs in nanoseconds, if the collector reports it")
    longest_pause: Bytes | None = Field(None, description="of those runs in nanoseconds, if the collector reports it")


class Moment(Record):
    """The memory of a process, in bytes: what the program has written and not freed, and what is present of it."""

    milliseconds: Span = Field(description="since the program began")
    used: Bytes
    resident: Bytes


class Timeline(Record):
    """The memory of a process while a program ran, from its beginning to its end. Unlike a peak's, its bytes include
    what the process had before."""

    workload: WorkloadName
    compiler: str
    strategy: str
    series: Name
    moments: list[Moment] = Field(min_length=2, max_length=MOST_MOMENTS)
    peak: Bytes
    trimmed: Bytes = Field(description="present at the end, after malloc_trim(0) and what else gives memory back")
    processor: Span = Field(description="the time of all threads in milliseconds, that of the system included")
    system: Span = Field(description="the part of it that the system took for the program")
    faults: Bytes = Field(description="the pages that the system had to provide")


class Code(Record):
    """The code generated for one operation; `calls` are the demangled targets that stay out of line."""

    compiler: str
    strategy: str
    operation: str
    hot: Part
    cold: Part
    inlined: bool
    calls: list[str]


class Listing(Record):
    """The code generated for one function of heap-or-stack."""

    compiler: str
    strategy: str
    function: str
    hot: Part
    cold: Part
    lines: list[str] = Field(description="its disassembly, the hot part before the cold one")


class Call(Record):
    """Instructions executed by one call of a function of heap-or-stack (callgrind)."""

    compiler: str
    strategy: str
    function: str
    nodes: Size = Field(description="of the list")
    exclusive: Finite = Field(description="in the function's own code")
    inclusive: Finite = Field(description="in all that it calls, too")


class Data(Record):
    """Sizes in bytes. `control` is heap memory beyond a raw `new` of the object, `altogether` includes the handle."""

    compiler: str
    strategy: str
    handle: Bytes
    control: Finite
    altogether: Finite
    allocations: Bytes | None = Field(
        None, description="blocks taken for an object and its first owner, from operator new or a pool"
    )
    weak: Bytes | None = Field(None, description="a weak handle, where there is one")


class Line(Record):
    """A straight line fitted to time over set size: errors are two standard deviations, in nanoseconds."""

    compiler: str
    strategy: str
    state: State
    initialisation: Finite
    initialisation_error: Finite
    copy_cost: Finite
    copy_error: Finite


class Ratio(Record):
    """Paired ratio of a strategy to the reference with its 95 % bootstrap interval, clustered by launch."""

    workload: WorkloadName
    series: Name
    x: Size
    compiler: str
    strategy: str
    state: State
    ratio: Quotient
    low: Quotient
    high: Quotient
    tie: bool = Field(description="the interval lies within or overlaps the spread of the A/A control")
    control: bool = False


class Share(Record):
    """The part of the time of std::make_shared in queens that goes when something is left out, with its 95 % bootstrap
    interval, clustered by launch."""

    of: Literal["counting", "allocation"]
    series: Name
    x: Size
    compiler: str
    state: State
    share: Finite
    low: Finite
    high: Finite


class Findings(Record):
    references: dict[str, str] = Field(REFERENCES, description="by workload: the strategy that ratios are to")
    lines: list[Line] = []
    ratios: list[Ratio] = []
    shares: list[Share] = []


class Result(BaseModel):
    """A whole run. Grows while a run goes on; a saved file is always a valid Result."""

    model_config = ConfigDict(extra="forbid", str_max_length=MOST_LETTERS)

    schema_version: Literal[2] = 2
    freehold: str
    started: str
    quick: bool
    complete: bool = False
    plan: str = Field(description="digest of what was to be measured; a run resumes only its own plan")
    command: str = Field("", description="what measures the same again")
    machine: Machine
    compilers: list[Compiler]
    strategies: list[Strategy]
    identities: list[Identity] = []
    launches: list[Launch] = []
    counts: list[Count] = []
    peaks: list[Peak] = []
    timelines: list[Timeline] = []
    code: list[Code] = []
    data: list[Data] = []
    listings: list[Listing] = []
    calls: list[Call] = []
    findings: Findings | None = None
    notes: list[str] = Field([], description="what could not be measured and why, one line each")
