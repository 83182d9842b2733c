"""Counts of shared pointers that have blocks of their own: make_shared puts them beside their objects."""

from freehold_lab.advise.changes.candidate import Candidate, of_sites
from freehold_lab.advise.changes.chains import Chain

OF_COUNTS = ("::__shared_count<", "::__shared_ptr_pointer<", "boost::detail::shared_count::shared_count<")
OF_BOTH = ("_Sp_counted_ptr_inplace", "_Sp_alloc_shared_tag", "__shared_ptr_emplace")
MOST = 3  # places: it is one change, however often it is made


def candidates(chains: list[Chain]) -> list[Candidate]:
    found = [each for each in chains if each.has(*OF_COUNTS) and not each.has(*OF_BOTH)][:MOST]
    return [_candidate(found)] if found else []


def _candidate(chains: list[Chain]) -> Candidate:
    numbers = frozenset[int]().union(*(each.numbers for each in chains))
    return Candidate(
        change=f"std::make_shared in {', '.join(each.where for each in chains)}",
        replayed=of_sites("joined", numbers),
        sites=numbers,
        evidence=f"{sum(each.blocks for each in chains):,} blocks hold only the counts of a shared_ptr that was given "
        "an object",
        refuted_by="a deleter of its own, a constructor that is private, or weak_ptrs that outlive large objects, "
        "whose memory they then keep",
        lines=("auto owner = std::make_shared<T>(arguments);  // instead of std::shared_ptr<T>(new T(arguments))",),
    )
