"""Vectors and strings that grow step by step: reserve would take their last block at once."""

import re

from freehold_lab.advise.changes.candidate import Candidate, of_sites
from freehold_lab.advise.changes.chains import Chain
from freehold_lab.advise.interval import Interval

OF_GROWTH = (
    *("_M_realloc_insert", "_M_realloc_append", "_M_default_append", "_M_range_insert", "_M_mutate", "::reserve("),
    *("__push_back_slow_path", "__emplace_back_slow_path", "__append", "__grow_by"),
)
LEAST_SHARE = 0.3  # of the blocks
MOST = 2
# Instructions of a step of growth besides those of its allocation, of vector<long> and of string by g++ 12, -O2: both
# execute 54 to 56 more than a program that has reserved.
OF_STEP = 55
# And at most of each byte of the elements that it moves; of unique_ptrs .6. Others are copied as bytes.
OF_BYTE = 1.2
OF_BYTES = re.compile(r"basic_string<|vector<([\w ]*(char|short|int|long|float|double|bool)( unsigned)?|[^<>]*\*), ")


def candidates(chains: list[Chain]) -> list[Candidate]:
    good = [each for each in chains if each.has(*OF_GROWTH) and each.outgrown >= LEAST_SHARE * each.blocks]
    return [_candidate(each) for each in sorted(good, key=lambda each: -each.outgrown)][:MOST]


def _candidate(chain: Chain) -> Candidate:
    return Candidate(
        change=f"reserve() before what grows in {chain.where}",
        replayed=of_sites("reserved", chain.numbers),
        sites=chain.numbers,
        evidence=f"{chain.outgrown:,} of {chain.blocks:,} blocks were replaced by a larger one",
        refuted_by="a size that is not known before, or a reserve() at each step, which makes growth quadratic",
        lines=("values.reserve(count);  // once, before the loop",),
        besides=_besides(chain),
    )


def _besides(chain: Chain) -> Interval:
    steps = OF_STEP * chain.outgrown
    growing = next((each for each in chain.libraries if any(word in each for word in OF_GROWTH)), "")
    moved = 0.0 if OF_BYTES.search(growing) else OF_BYTE * sum(each.outgrown_bytes for each in chain.sites)
    return Interval(steps, steps + moved / 2, steps + moved)
