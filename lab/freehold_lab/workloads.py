"""The workloads by name, in the order of a run, and what each is about."""

from collections.abc import Collection

# Whole programs, which other languages have too.
QUEENS = "queens"
BINARY_TREES = "binary-trees"
RINGS = "rings"
GCBENCH = "gcbench"
LIVE_TREE = "live-tree"
GRAPH = "graph"
PROGRAMS = (QUEENS, BINARY_TREES, RINGS, GCBENCH, LIVE_TREE, GRAPH)
TIMED_POINTERS = ("operations", "containers", "instantiation", *PROGRAMS)
SIZES = ("code-size", "data-size")
POINTERS = (*TIMED_POINTERS, *SIZES)

# Those of several threads are timed by the wall's clock. What threads execute while they wait for each other is never
# the same twice, so it is not counted.
SEVERAL_THREADS = ("producer-consumer", "larson")
TIMED_MEMORY = ("list", "reuse", "pair", "batch", "churn", "mixes", *SEVERAL_THREADS)
HEAP_OR_STACK = "heap-or-stack"
MEMORY = (*TIMED_MEMORY, HEAP_OR_STACK)
# Left out of a quick run, unless they are asked for.
ONLY_WHOLE = (*PROGRAMS, "reuse", "mixes", "larson", HEAP_OR_STACK)
WITH_PEAKS = (*PROGRAMS, "list", "churn", "larson")
WITH_CODE = ("code-size", HEAP_OR_STACK)

TIMED = (*TIMED_POINTERS, *TIMED_MEMORY)
WORKLOADS = (*POINTERS, *MEMORY)

# What a family of strategies can do. Programs need an owner that knows when it is the last one. Those about collectors
# need one, or pointers that leave cycles open, or take only a few to compare with: the catalogue names the others.
ABOUT_COLLECTORS = (RINGS, GCBENCH, LIVE_TREE, GRAPH)
ABOUT_OWNERS = tuple(each for each in POINTERS if each not in ABOUT_COLLECTORS)
FAMILIES = {
    "baseline": tuple(each for each in POINTERS if each not in PROGRAMS),
    "pointers": ABOUT_OWNERS,
    "cyclic": POINTERS,
    "traced": POINTERS,
    "collection": POINTERS,  # the two above, in results of version 0.1
    "peers": ABOUT_OWNERS,
    "uncounted": (QUEENS, BINARY_TREES),
    "floor": MEMORY,
    "memory": MEMORY,
    "allocators": MEMORY,
}

# What a ratio is to, unless a report asks for another.
REFERENCES = {
    **dict.fromkeys(POINTERS, "std_shared_ptr"),
    **dict.fromkeys(PROGRAMS, "ocaml"),
    **dict.fromkeys(MEMORY, "new_delete"),
}
# What it is to instead, where the machine has no OCaml.
SECOND_REFERENCES = dict.fromkeys(PROGRAMS, "std_shared_ptr")


def reference(workload: str, measured: Collection[str]) -> str:
    """Returns what ratios are to if the strategies called `measured` are those that were measured."""
    first = REFERENCES[workload]
    return first if first in measured else SECOND_REFERENCES.get(workload, first)
