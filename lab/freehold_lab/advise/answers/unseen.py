"""What no figure shows: memory that did not come from malloc, and programs that were begun without the recorder."""

from freehold_lab.advise.analysis.summary import Summary
from freehold_lab.advise.record.recording import Recording
from freehold_lab.heap.page import size

PAGE = 4096
OF_RECORDER = 4 << 20  # bytes, with what every process has; and a page for each site, up to its table of sites
OF_SITES = 16 << 20
OF_BLOCK = 24  # bytes that a heap adds to a block at most
OF_HEAP = 1.2  # times what lives: no heap is without gaps
LEAST, LEAST_SHARE = 8 << 20, 0.25


def note(summary: Summary, resident: int) -> str:
    """`resident`: bytes at most, without those of files. Returns nothing where nearly all came from malloc."""
    heap = (summary.most_bytes + summary.most_blocks * OF_BLOCK) * OF_HEAP
    unseen = resident - round(heap) - OF_RECORDER - min(PAGE * len(summary.sites), OF_SITES)
    if unseen < max(LEAST, resident * LEAST_SHARE):
        return ""
    return (
        f"At least {size(unseen)} of the {size(resident)} that were resident at most are in no figure: they are of "
        "mmap or an allocator of its own, or malloc kept them."
    )


def programs(recorded: Recording) -> str:
    """Returns what is said of programs without the recorder, or nothing."""
    if not recorded.unrecorded:
        return ""
    names = list(dict.fromkeys(recorded.unrecorded_names))
    if recorded.unrecorded > len(recorded.unrecorded_names):
        names.append("…")
    many = "programs were" if recorded.unrecorded > 1 else "program was"
    return f"{recorded.unrecorded:,} {many} begun without the recorder, by another environment: {', '.join(names)}."
