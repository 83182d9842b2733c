"""Made-up results with known truth, for the tests of the statistics and of the reports.

A strategy's truth is its initialisation and copy cost in nanoseconds; a launch multiplies its times by a
factor of its own, and every point by another, as noise on a machine does.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy

from freehold_lab import workloads
from freehold_lab.model import (
    Call,
    Cell,
    Code,
    Compiler,
    Count,
    Data,
    Identity,
    Launch,
    Listing,
    Machine,
    Moment,
    Part,
    Peak,
    Point,
    Result,
    State,
    Strategy,
    Timeline,
)

SIZES = [2, 4, 8, 12, 16, 24, 32]
STYLES = ["by value", "const reference", "modern", "borrowed", "direct"]
BOARDS = {6: 1e4, 8: 1e6, 9: 1e7}  # cells of lists by the size of the board
RINGS = [(series, nodes, nodes) for series in ("cursor", "churn, a tenth lives") for nodes in (10_000, 100_000)]
TREES = {8: 4e4, 12: 7e5}  # nodes by depth
GCBENCH = [("trees and array", depth, 16 << depth) for depth in (6, 10)]
LIVE_TREE = [(series, nodes, nodes) for series in ("allocate", "store") for nodes in (10_000, 100_000)]
GRAPH = [("edges rewired", nodes, 32 * nodes) for nodes in (1_000, 10_000)]
BOARDS_IN_STYLES = [(style, size, cells) for style in STYLES for size, cells in BOARDS.items()]
SERIES = ["vector fill", "vector sort", "list fill", "list sort"]
OPERATIONS = ["ptr()", "ptr(p)", "ptr(ptr)", "op=", "~ptr()"]
FUNCTIONS = ["on the stack", "by hand", "by hand, with catch", "by unique_ptr"]
UNITS = {"observers": "alive", "replaced": "read", "published": "store", "map": "operation", "contended": "copy"}
PROGRAMS = {
    "queens": BOARDS_IN_STYLES,
    "binary-trees": [("trees", depth, nodes) for depth, nodes in TREES.items()],
    "rings": RINGS,
    "gcbench": GCBENCH,
    "live-tree": LIVE_TREE,
    "graph": GRAPH,
}
for program in workloads.PROGRAMS:
    smallest = [min(sizes) for sizes in list(workloads.ALL[program].sizes.values())[:2]]
    PROGRAMS.setdefault(program, [("work", x, 1000 * x) for x in smallest])
POINTEES = 300_000
OBJECT = 40  # bytes that the heap gives for a plain object
REFERENCE = "std_shared_ptr"
MEMORY_REFERENCE = "new_delete"
OF_MEMORY = {*workloads.MEMORY, *workloads.TIMELINES}
MEMORY_FAMILIES = tuple(each for each, done in workloads.FAMILIES.items() if set(done) <= OF_MEMORY)
COLLECTORS = ("ocaml", "traced_ptr")
# Programs that only strategies with a collector take part in, and a few others.
ABOUT_COLLECTORS = tuple(each for each in workloads.PROGRAMS if each not in workloads.FAMILIES["pointers"])
# For pointers that are copied by one thread at a time, and for those that threads replace.
REPLACED = ("replaced", "published", "map", "short-lived-threads", "stack", "queue")
COPIED = tuple(each for each in workloads.POINTERS if each not in REPLACED)
SOLE = ("instantiation", "binary-trees", "code-size", "data-size")


class Truth(NamedTuple):
    """What a strategy costs: nanoseconds with one thread, and with a second one per operation on top."""

    name: str
    label: str
    family: str
    initialisation: float
    copy: float
    atomic: bool = False
    handle: int = 8
    control: float = 16
    workloads: tuple[str, ...] = ()

    def takes_part(self, workload: str) -> bool:
        invited = self.family in MEMORY_FAMILIES and self.name in workloads.ALL[workload].strategies
        return invited or workload in (self.workloads or workloads.FAMILIES[self.family])


TRUTHS = [
    Truth("raw", "raw", "baseline", 11, 0.4, control=0),
    Truth("dumb", "dumb", "baseline", 11, 0.4, control=0),
    Truth("shared_ptr_new", "simple counted", "pointers", 46, 4.9, True, 16, 32),
    Truth("shared_ptr_pool", "special counted", "pointers", 24, 4.9, True, 16, 16),
    Truth("shared_ptr", "in-place counted", "pointers", 16, 4.8, True, 16, 16),
    Truth("local_shared_ptr", "local", "pointers", 15, 2.2, False, 16, 16, COPIED),
    Truth("intrusive_ptr", "intrusive, atomic", "pointers", 13, 4.7, True),
    Truth("intrusive_ptr_plain", "intrusive, plain", "pointers", 12, 1.9),
    Truth("linked_ptr", "linked", "pointers", 13, 3.1, handle=24, control=0),
    Truth("traced_ptr", "traced", "traced", 8, 0, workloads=workloads.PROGRAMS),
    Truth("managed_ptr", "managed", "pointers", 13, 1, handle=32, control=0, workloads=SOLE),
    Truth("std_unique_ptr", "std::unique_ptr", "peers", 12, 1, handle=16, control=0, workloads=SOLE),
    Truth("ocaml", "OCaml", "peers", 10, 0, workloads=workloads.PROGRAMS),
    Truth("rust_arc", "Rust Arc", "peers", 18, 12, workloads=("operations", "instantiation", "queens", "binary-trees")),
    Truth("uncounted_malloc", "uncounted, malloc and free", "uncounted", 12, 0),
    Truth("uncounted_stack", "uncounted, stack", "uncounted", 9, 0),
    Truth("atomic_shared_ptr", "atomic", "pointers", 13, 20, workloads=REPLACED),
    Truth("std_atomic_shared_ptr", "std::atomic<std::shared_ptr>", "peers", 13, 30, workloads=REPLACED),
    Truth("std_shared_ptr_new", "std::shared_ptr(new)", "peers", 52, 5.8, True, 16, 32),
    Truth("std_shared_ptr", "std::make_shared", "peers", 30, 5.8, True, 16, 16, COPIED),
    Truth("boost_shared_ptr", "boost::shared_ptr(new)", "peers", 70, 19, True, 16, 32),
    Truth("boost_local_shared_ptr", "boost::make_local_shared", "peers", 41, 3.4, False, 16, 48),
    Truth("boost_intrusive_ptr", "boost::intrusive_ptr, atomic", "peers", 17, 18, True),
    Truth("boost_intrusive_ptr_plain", "boost::intrusive_ptr, plain", "peers", 12, 1.9),
]
# Ways to get memory; the truths are nanoseconds of a block, and of what freeing it adds.
MEMORY_TRUTHS = [
    Truth("bump", "inline bump", "floor", 2, 0, workloads=("list", "mixes")),
    Truth("monotonic_resource", "monotonic", "memory", 2, 1, workloads=("list", "reuse", "mixes")),
    Truth("pool_resource", "pool", "memory", 3, 1, workloads=("list", "reuse", "pair", "batch", "churn", "mixes")),
    Truth("concurrent_pool_resource", "concurrent pool", "memory", 4, 2),
    Truth("new_delete", "std::allocator (new)", "allocators", 20, 10),
    Truth("mimalloc", "mimalloc", "allocators", 9, 4),
]
NODES = (100, 10_000)
LIVE = (500, 5_000)
PLANNED = Strategy(
    name="future_ptr",
    label="future",
    family="pointers",
    status="planned",
    note="not built yet",
    workloads=list(workloads.POINTERS),
)


def make_result(
    truths: list[Truth] = TRUTHS,
    *,
    compilers: tuple[str, ...] = ("g++-12", "clang++-19"),
    states: tuple[State, ...] = tuple(State),
    rounds: int = 12,
    noise: float = 0.02,
    missing: tuple[str, ...] = (),
    counts: bool = True,
    sizes: bool = True,
    seed: int = 0,
) -> Result:
    """A result in which each of `truths` was measured but those whose name is in `missing`."""
    measured = [truth for truth in truths if truth.name not in missing]
    panels = [(compiler, state) for compiler in compilers for state in states]
    return Result(
        freehold="0.2.0",
        started="2025-01-01T12:00:00+00:00",
        quick=False,
        complete=True,
        plan="0123456789abcdef",
        machine=Machine(processor="Example 9000", cores=2, kernel="Linux 6.1", libc="glibc 2.36"),
        compilers=[
            Compiler(name=name, path=f"/usr/bin/{name}", version=f"{name} (Debian)", flags="-std=c++20 -O2")
            for name in compilers
        ],
        strategies=[_strategy(truth, truth.name in missing) for truth in truths] + [PLANNED],
        identities=[
            Identity(compiler=compiler, strategy=truth.name, library=_library(truth))
            for compiler in compilers
            for truth in measured
        ],
        launches=[
            launch
            for number in range(rounds)
            for panel in panels
            for launch in _round(number, *panel, measured, noise, seed)
        ],
        counts=[count for panel in panels for truth in measured for count in _counts(*panel, truth)] if counts else [],
        code=[
            code
            for name in compilers
            for truth in measured
            if truth.takes_part("code-size")
            for code in _code(name, truth)
        ]
        if sizes
        else [],
        data=[
            Data(
                compiler=name,
                strategy=truth.name,
                handle=truth.handle,
                control=truth.control,
                altogether=truth.handle + truth.control + OBJECT,
            )
            for name in compilers
            for truth in measured
            if truth.takes_part("data-size")
        ]
        if sizes
        else [],
        peaks=[peak for name in compilers for truth in measured for peak in _peaks(name, truth)] if sizes else [],
        timelines=[each for name in compilers[:1] for truth in measured for each in _timelines(name, truth)]
        if sizes
        else [],
        listings=[listing for name, truth in _with_lists(compilers, measured) for listing in _listings(name, truth)],
        calls=[call for name, truth in _with_lists(compilers, measured) for call in _calls(name, truth)]
        if counts
        else [],
        notes=["a note of the run"],
    )


def with_times_of(result: Result, strategy: str, round: int, factor: float) -> Result:
    """The same result with the times of one launch of `strategy` multiplied by `factor`: a crazy launch."""

    def changed(launch: Launch) -> Launch:
        if launch.round != round or launch.cell.strategy != strategy or launch.cell.control:
            return launch
        points = [p.model_copy(update={"nanoseconds": p.nanoseconds * factor}) for p in launch.points]
        return launch.model_copy(update={"points": points})

    return result.model_copy(update={"launches": [changed(launch) for launch in result.launches]})


def with_points(result: Result, kept: Callable[[Point], bool]) -> Result:
    """The same result with only those points of its launches that are `kept`."""
    launches = [
        launch.model_copy(update={"points": [point for point in launch.points if kept(point)]})
        for launch in result.launches
    ]
    return result.model_copy(update={"launches": launches})


def _strategy(truth: Truth, missing: bool) -> Strategy:
    return Strategy(
        name=truth.name,
        label=truth.label,
        family=truth.family,
        status="missing" if missing else "measured",
        note="install libboost-dev" if missing else "",
        workloads=[each for each in workloads.WORKLOADS if truth.takes_part(each)],
    )


def _library(truth: Truth) -> str:
    if truth.name == "ocaml":
        return "OCaml 4.13.1"
    if truth.name.startswith("rust"):
        return "Rust 1.63.0"
    if truth.family == "peers":
        return "Boost 1.74.0" if truth.name.startswith("boost") else "libstdc++ 20220819"
    return "Freehold 0.2.0"


def _cost(truth: Truth, state: State) -> tuple[float, float]:
    locked = 12.0 if truth.atomic and state is State.THREADED else 0.0
    return truth.initialisation + locked, truth.copy + locked


def _round(number: int, compiler: str, state: State, truths: list[Truth], noise: float, seed: int) -> list[Launch]:
    names = [truth.name for truth in truths]
    cells = [(truth, control) for control in (False, True) for truth in truths]
    launches = []
    for truth, control in cells:
        initialisation, copy = _cost(truth, state)
        times = (
            _memory_times(truth, state)
            if truth.family in MEMORY_FAMILIES
            else {
                "operations": [("set", n, initialisation + copy * n) for n in SIZES],
                "containers": [
                    (series, POINTEES, POINTEES * (initialisation + (index + 1) * 20 + 5 * copy))
                    for index, series in enumerate(SERIES)
                ],
                "instantiation": [
                    ("make and release", 1, initialisation),
                    *([("make and release", 2, 2 * initialisation)] if state is State.THREADED else []),
                    ("make, move and release", 1, initialisation + copy),
                ],
                "queens": [
                    (style, size, objects * (initialisation + max(3 - index, 0) * copy))
                    for index, style in enumerate(STYLES)
                    for size, objects in BOARDS.items()
                ],
                "binary-trees": [("trees", depth, nodes * initialisation) for depth, nodes in TREES.items()],
                **{
                    workload: [(series, x, nodes * initialisation) for series, x, nodes in PROGRAMS[workload]]
                    for workload in ABOUT_COLLECTORS
                },
                **{each: [(UNITS.get(each, "work"), 1, copy)] for each in _with_units(workloads.POINTERS, state)},
            }
        )
        for workload, points in times.items():
            if not truth.takes_part(workload) or (control and truth.name != workloads.reference(workload, names)):
                continue
            # Of its own, so that another workload or strategy leaves the noise of this launch as it is.
            launched = f"{number} {workload} {compiler} {truth.name} {state} {control}"
            random = numpy.random.default_rng([seed, *launched.encode()])
            shared = random.normal(1, noise)
            launches.append(
                Launch(
                    round=number,
                    cell=Cell(workload=workload, compiler=compiler, strategy=truth.name, state=state, control=control),
                    checksum="c0ffee",
                    points=[
                        Point(series=series, x=x, nanoseconds=time * shared * random.normal(1, noise / 2))
                        for series, x, time in points
                    ],
                )
            )
    return launches


def _memory_times(truth: Truth, state: State) -> dict[str, list[tuple[str, int, float]]]:
    block = truth.initialisation + truth.copy
    times = {
        "list": [
            (series, nodes, nodes * more * block) for series, more in (("fresh", 1.5), ("kept", 1)) for nodes in NODES
        ],
        "reuse": [("vectors of strings", 100, 500 * block)],
        "pair": [("32 bytes", 1, block)],
        "batch": [("32 bytes", 1000, 1000 * block)],
        "churn": [("16 to 64 bytes", live, 2 * live * block) for live in LIVE],
        "phases": [("sizes change", kibibytes, kibibytes * block) for kibibytes in (1024, 8192)],
        "mixes": [(series, 1000, 3000 * block) for series in ("vector of strings", "vector of strings, winked out")],
    }
    if state is State.THREADED:
        passed = (("passed on", 3), ("with a message", 4), ("of any size", 5))
        times["producer-consumer"] = [(series, 2, blocks * block) for series, blocks in passed]
        times["larson"] = [("16 to 64 bytes", threads, (1 + threads) * block) for threads in (1, 2)]
    return {each: [("work", 1, block)] for each in _with_units(workloads.MEMORY, state)} | times


def _with_units(among: tuple[str, ...], state: State) -> list[str]:
    """Those of the workloads that are measured in `state` and have a common table."""
    there = [each for each in among if each in workloads.WITH_UNITS]
    return [each for each in there if state is State.THREADED or not workloads.ALL[each].threads]


def _peaks(compiler: str, truth: Truth) -> list[Peak]:
    return [
        Peak(
            workload=workload,
            compiler=compiler,
            strategy=truth.name,
            series=series,
            x=x,
            peak=int(4096 * truth.initialisation) * 1024,
            left=int(truth.copy) * 1024,
            resident=int(3072 * truth.initialisation) * 1024 if workload == "phases" else None,
            idle=int(2048 * truth.initialisation) * 1024 if workload == "phases" else None,
            collections=17 if truth.name in COLLECTORS and workload in ABOUT_COLLECTORS else None,
            **_pauses(truth, workload, x),
        )
        for workload, points in (_memory_times(truth, State.THREADED) | PROGRAMS).items()
        if workload in workloads.WITH_PEAKS and truth.takes_part(workload)
        for series, x, _ in points
    ]


def _timelines(compiler: str, truth: Truth) -> list[Timeline]:
    """10 MiB are used to the half of the time, and the more remains present the more a block costs."""
    return [
        Timeline(
            workload=workload,
            compiler=compiler,
            strategy=truth.name,
            series=series,
            moments=[
                Moment(
                    milliseconds=100.0 * step,
                    used=10 << 20 if 0 < step <= 10 else 0,
                    resident=(step > 0) * ((20 if step <= 10 else int(truth.initialisation)) << 20),
                )
                for step in range(21)
            ],
            peak=21 << 20,
            trimmed=1 << 20,
            processor=12.5,
            system=2.5,
            faults=int(1000 * truth.initialisation),
        )
        for workload in workloads.TIMELINES
        if truth.takes_part(workload)
        for series in (("large", "small") if workload == "sparse" else ("program",))
    ]


def _pauses(truth: Truth, workload: str, x: int) -> dict[str, int]:
    if truth.name != "traced_ptr" or workload not in ABOUT_COLLECTORS:
        return {}
    return {"median_pause": 1000 + x, "longest_pause": 1_234_567}


def _with_lists(compilers: tuple[str, ...], measured: list[Truth]) -> list[tuple[str, Truth]]:
    return [
        (name, truth)
        for name in compilers
        for truth in measured
        if truth.family in MEMORY_FAMILIES and truth.takes_part(workloads.HEAP_OR_STACK)
    ]


def _listings(compiler: str, truth: Truth) -> list[Listing]:
    """The first function has no cold part; the heap is in all but that."""
    return [
        Listing(
            compiler=compiler,
            strategy=truth.name,
            function=function,
            hot=Part(instructions=20 + index, bytes=80 + 4 * index),
            cold=Part(instructions=index, bytes=3 * index),
            lines=[f"{function}:", f"    call {truth.name}::allocate<list>()" if index else "    ret"],
        )
        for index, function in enumerate(FUNCTIONS)
    ]


def _calls(compiler: str, truth: Truth) -> list[Call]:
    return [
        Call(
            compiler=compiler,
            strategy=truth.name,
            function=function,
            nodes=6,
            exclusive=60 + index,
            inclusive=100 * truth.initialisation + index,
        )
        for index, function in enumerate(FUNCTIONS)
    ]


def _counts(compiler: str, state: State, truth: Truth) -> list[Count]:
    locked = float(truth.atomic and state is State.THREADED)
    initialisation, copy = _cost(truth, state)

    def count(workload: str, series: str, x: int, instructions: float, locks: float) -> Count:
        return Count(
            workload=workload,
            compiler=compiler,
            strategy=truth.name,
            state=state,
            series=series,
            x=x,
            instructions=instructions,
            locked=locks,
        )

    if truth.family in MEMORY_FAMILIES:
        return [count("pair", "32 bytes", 1, 10 * initialisation, 0)] if truth.takes_part("pair") else []
    set_counts = [count("operations", "set", n, round(initialisation) * 3 + 9 * n, locked * (1 + 2 * n)) for n in SIZES]
    containers = [count("containers", series, 10_000, 10_000 * (80 + copy), 10_000 * locked * 3) for series in SERIES]
    instantiation = [
        count("instantiation", series, 1, round(initialisation) * 3 + moves, locked)
        for moves, series in enumerate(["make and release", "make, move and release"])
    ]
    queens = [
        count("queens", style, 6, 10_000 * (50 - 10 * index), 10_000 * locked * max(4 - index, 1))
        for index, style in enumerate(STYLES)
    ]
    about_collectors = [
        count(workload, series, x, 10_000 * 50, 10_000 * locked)
        for workload in ABOUT_COLLECTORS
        for series, x, _ in PROGRAMS[workload]
        if x == PROGRAMS[workload][0][1]
    ]
    trees = [count("binary-trees", "trees", 8, 10_000 * 50, 10_000 * locked)]
    counts = set_counts + containers + instantiation + queens + trees + about_collectors
    return [each for each in counts if truth.takes_part(each.workload)]


def _code(compiler: str, truth: Truth) -> list[Code]:
    return [
        Code(
            compiler=compiler,
            strategy=truth.name,
            operation=operation,
            hot=Part(instructions=3 + index * 5, bytes=11 + index * 17),
            cold=Part(instructions=9, bytes=33) if truth.atomic and index == 4 else Part(instructions=0, bytes=0),
            inlined=not (truth.atomic and index == 4),
            calls=["std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2>::_M_release_last_use_cold()"]
            if truth.atomic and index == 4
            else ["operator delete(void*, unsigned long)"] * (index == 4),
        )
        for index, operation in enumerate(OPERATIONS)
    ]
