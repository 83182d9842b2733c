"""Reports of no program."""

from pathlib import Path

from freehold_lab.advise.analysis.summary import KINDS, Node, Site, Summary
from freehold_lab.advise.answers import bound, predictions
from freehold_lab.advise.answers.report import Report
from freehold_lab.advise.answers.sites import Group
from freehold_lab.advise.changes import advice
from freehold_lab.advise.interval import Interval
from freehold_lab.advise.record.recording import Process, Recording
from freehold_lab.advise.replay.timing import Timed

LONG = "a::function<with::a::very_long_name, and::other_arguments>::that_is_called(int, unsigned long, std::string)"


def a_node(number, parent=0, **changed):
    figures = {
        **{"blocks": 10_000, "made": 10_000, "bytes": 1 << 20, "left": 0, "by_others": 0, "batches": 100},
        **{"most_bytes": 10_000, "most_live": 9_000, "price": 1_000, "is_recursive": False, "place": (0, 16 * number)},
    }
    return Node(number, parent, **{**figures, **changed})


def a_site(callers, **figures):
    usual = dict.fromkeys(
        (
            "number",
            "node",
            "made",
            "least_size",
            "most_size",
            "outgrown",
            "outgrown_bytes",
            "freed",
            "by_others",
            "in_stack_order",
            "recorded",
        ),
        0,
    )
    usual |= {"left_bytes": 0, "at_peak": 0, "lifetimes": []}
    return Site(callers=callers, **{**usual, **figures})


def a_summary(nodes=(), **changed):
    figures = {
        **{"events": 20_000, "allocations": 10_000, "frees": 10_000, "reallocations": 0, "of_unknown": 0},
        **{"bytes": 1 << 30, "most_bytes": 1 << 28, "most_blocks": 9_000, "left": 1, "left_bytes": 16, "threads": 1},
    }
    lists = {"kinds": [0] * len(KINDS), "modules": ["program"], "sites": [], "nodes": list(nodes)}
    lists |= {"sizes": [0] * 65, "timeline": [(1 << 20, 1 << 20)] * 3}
    return Summary(**{**figures, **lists, **changed})


def a_recording(**changed):
    processes = (Process(100, None, 1000), Process(101, 0, 10))
    figures = {"status": 0, "seconds": 1.0, "cpu": 1.0, "waits": 0, "waited": 0.0, "lost": 0, "cut": 0, "fault": ""}
    return Recording(Path("recording"), ("program " * 20,), processes, **{**figures, **changed})


def a_prediction(instructions, peak=0.0, name="an allocator"):
    interval = Interval
    return predictions.Prediction(name, interval.around(instructions, 0.003), interval.around(peak, 2e6))


def a_full_report():
    """One that has as much of everything as a report may have."""
    groups = [
        Group(((0, 1),) * 3, (LONG, LONG + "1", LONG + "2"), 10**9, 10**9, 1 << 40, 10**9, 10, 10, 10, 10, (0, 10**9))
        for _ in range(50)
    ]
    piece = advice.Advice(LONG, a_prediction(-0.1), LONG * 5, LONG * 5, (LONG,), LONG)
    return Report(
        a_recording(),
        0,
        a_summary(),
        groups,
        bound.Bound(0.5, "instructions", 0.5, 1 << 30, 1 << 20, 1),
        [a_prediction(-0.1, name=LONG + str(number)) for number in range(4)],
        [Timed(LONG + str(number), Interval(-0.1, 0, 0.1), Interval(0, 0, 0), True) for number in range(4)],
        [piece] * advice.MOST,
        [LONG * 5] * 9,
    )
