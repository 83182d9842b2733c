"""Counts of shared pointers that have blocks of their own: make_shared puts them beside their objects."""

from freehold_lab.advise.changes.candidate import Candidate
from freehold_lab.advise.changes.chains import Chain

OF_COUNTS = ("::__shared_count<", "::__shared_ptr_pointer<", "boost::detail::shared_count::shared_count<")
OF_BOTH = ("_Sp_counted_ptr_inplace", "_Sp_alloc_shared_tag", "__shared_ptr_emplace")
MOST = 2


def candidates(chains: list[Chain]) -> list[Candidate]:
    return [_candidate(each) for each in chains if each.has(*OF_COUNTS) and not each.has(*OF_BOTH)][:MOST]


def _candidate(chain: Chain) -> Candidate:
    return Candidate(
        change=f"std::make_shared in {chain.where}",
        replayed=("joined", *map(str, sorted(chain.numbers))),
        sites=chain.numbers,
        evidence=f"{chain.blocks:,} blocks hold only the counts of a shared_ptr that was given an object",
        refuted_by="a deleter of its own, a constructor that is private, or weak_ptrs that outlive large objects, "
        "whose memory they then keep",
        lines=("auto owner = std::make_shared<T>(arguments);  // instead of std::shared_ptr<T>(new T(arguments))",),
    )
