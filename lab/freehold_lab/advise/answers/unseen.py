"""Memory that the program had and no figure shows, because it did not come from malloc."""

from freehold_lab.advise.analysis.summary import Summary
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
