"""The workloads by name, in the order of a run."""

TIMED = ("operations", "containers", "instantiation")
WORKLOADS = (*TIMED, "code-size", "data-size")
