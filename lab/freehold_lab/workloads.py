"""The workloads by name, in the order of a run, and what each is about."""

from collections.abc import Collection

QUEENS = "queens"
TIMED_POINTERS = ("operations", "containers", "instantiation", QUEENS)
SIZES = ("code-size", "data-size")
POINTERS = (*TIMED_POINTERS, *SIZES)

# Those of several threads are timed by the wall's clock. What threads execute while they wait for each other is never
# the same twice, so it is not counted.
SEVERAL_THREADS = ("producer-consumer", "larson")
TIMED_MEMORY = ("list", "reuse", "pair", "batch", "churn", "mixes", *SEVERAL_THREADS)
HEAP_OR_STACK = "heap-or-stack"
MEMORY = (*TIMED_MEMORY, HEAP_OR_STACK)
# Left out of a quick run, unless they are asked for.
ONLY_WHOLE = (QUEENS, "reuse", "mixes", "larson", HEAP_OR_STACK)
WITH_PEAKS = (QUEENS, "list", "churn", "larson")
WITH_CODE = ("code-size", HEAP_OR_STACK)

TIMED = (*TIMED_POINTERS, *TIMED_MEMORY)
WORKLOADS = (*POINTERS, *MEMORY)

# What a family of strategies can do. Lists that share their tails need an owner that knows who is the last one.
FAMILIES = {
    "baseline": tuple(each for each in POINTERS if each != QUEENS),
    "pointers": POINTERS,
    "collection": POINTERS,
    "peers": POINTERS,
    "uncounted": (QUEENS,),
    "floor": MEMORY,
    "memory": MEMORY,
    "allocators": MEMORY,
}

# What a ratio is to, unless a report asks for another.
REFERENCES = {
    **dict.fromkeys(POINTERS, "std_shared_ptr"),
    QUEENS: "ocaml",
    **dict.fromkeys(MEMORY, "new_delete"),
}
# What it is to instead, where the machine has no OCaml.
SECOND_REFERENCES = {QUEENS: "std_shared_ptr"}


def reference(workload: str, measured: Collection[str]) -> str:
    """Returns what ratios are to if the strategies called `measured` are those that were measured."""
    first = REFERENCES[workload]
    return first if first in measured else SECOND_REFERENCES.get(workload, first)
