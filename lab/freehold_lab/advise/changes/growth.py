"""Vectors and strings that grow step by step: reserve would take their last block at once."""

from freehold_lab.advise.changes.candidate import Candidate
from freehold_lab.advise.changes.chains import Chain

OF_GROWTH = (
    *("_M_realloc_insert", "_M_realloc_append", "_M_default_append", "_M_range_insert", "_M_mutate", "::reserve("),
    *("__push_back_slow_path", "__emplace_back_slow_path", "__append", "__grow_by"),
)
LEAST_SHARE = 0.3  # of the blocks
MOST = 2
# Instructions of a step of growth besides those of its allocation, of vector<long> and of string by g++ 12, -O2: both
# execute 54 to 56 more than a program that has reserved.
OF_STEP = 55


def candidates(chains: list[Chain]) -> list[Candidate]:
    good = [each for each in chains if each.has(*OF_GROWTH) and each.outgrown >= LEAST_SHARE * each.blocks]
    return [_candidate(each) for each in sorted(good, key=lambda each: -each.outgrown)][:MOST]


def _candidate(chain: Chain) -> Candidate:
    return Candidate(
        change=f"reserve() before what grows in {chain.where}",
        replayed=("reserved", *map(str, sorted(chain.numbers))),
        sites=chain.numbers,
        evidence=f"{chain.outgrown:,} of {chain.blocks:,} blocks were replaced by a larger one; moving elements that "
        "are more than bytes comes on top",
        refuted_by="a size that is not known before, or a reserve() at each step, which makes growth quadratic",
        lines=("values.reserve(count);  // once, before the loop",),
        besides=OF_STEP * chain.outgrown,
    )
