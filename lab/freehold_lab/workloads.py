"""The workloads by name, in the order of a run, and what each is about."""

TIMED_POINTERS = ("operations", "containers", "instantiation")
SIZES = ("code-size", "data-size")
POINTERS = (*TIMED_POINTERS, *SIZES)

# Those of several threads are timed by the wall's clock. What threads execute while they wait for each other is never
# the same twice, so it is not counted.
SEVERAL_THREADS = ("producer-consumer", "larson")
TIMED_MEMORY = ("list", "reuse", "pair", "batch", "churn", "mixes", *SEVERAL_THREADS)
HEAP_OR_STACK = "heap-or-stack"
MEMORY = (*TIMED_MEMORY, HEAP_OR_STACK)
# Left out of a quick run, unless they are asked for.
ONLY_WHOLE = ("reuse", "mixes", "larson", HEAP_OR_STACK)
WITH_PEAKS = ("list", "churn", "larson")
WITH_CODE = ("code-size", HEAP_OR_STACK)

TIMED = (*TIMED_POINTERS, *TIMED_MEMORY)
WORKLOADS = (*POINTERS, *MEMORY)

# What a family of strategies can do.
FAMILIES = {
    "baseline": POINTERS,
    "pointers": POINTERS,
    "peers": POINTERS,
    "floor": MEMORY,
    "memory": MEMORY,
    "allocators": MEMORY,
}

# What a ratio is to, unless a report asks for another.
REFERENCES = {**dict.fromkeys(POINTERS, "std_shared_ptr"), **dict.fromkeys(MEMORY, "new_delete")}
