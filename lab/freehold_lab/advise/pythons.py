"""CPython allocates small objects by itself. PYTHONMALLOC=malloc has it call malloc for each, which shows them.

But that is another program, so all that is said of gains is against the run without it.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from freehold_lab.advise.analysis.summary import Summary

VARIABLE = "PYTHONMALLOC"


def settings() -> Mapping[str, str]:
    """Returns the variable if it is set: for what is recorded, and for changed programs."""
    return {VARIABLE: os.environ[VARIABLE]} if VARIABLE in os.environ else {}


def note(summary: Summary) -> str:
    """Returns what should be known of a program that is Python, or nothing."""
    if not any(Path(each).name.startswith(("python3", "libpython3")) for each in summary.modules):
        return ""
    if settings():
        return (
            f"Python allocates by {VARIABLE}={os.environ[VARIABLE]} here; what is gained is against the run without it."
        )
    return (
        f"Python takes up to 512 bytes from an allocator of its own: {VARIABLE}=malloc ./freehold advise … shows these."
    )
