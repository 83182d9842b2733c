"""Objects of one small size, made and freed in any order: where a pool could be."""

from freehold_lab.advise.changes.candidate import Candidate, of_sites
from freehold_lab.advise.changes.chains import Chain

LARGEST = 256  # bytes: of small_block_pool
OF_CONTAINERS = ("_Rb_tree_node", "_List_node", "_Hash_node", "_Fwd_list_node", "__tree_node", "__hash_node")
OF_NODES = ("_M_get_node", "_M_allocate_node", "_M_create_node", "__construct_node", "__create_node")
OF_POINTERS = ("_Sp_counted", "__shared_count")
MOST = 2


def candidates(chains: list[Chain]) -> list[Candidate]:
    return [_candidate(each) for each in chains if _is_good(each)][:MOST]


def _is_good(chain: Chain) -> bool:
    sizes = {(each.least_size, each.most_size) for each in chain.sites}
    (smallest, largest), *others = sizes
    if others or smallest != largest or largest > LARGEST or chain.has(*OF_POINTERS):
        return False
    return not chain.libraries or _is_of_container(chain) or chain.has("make_unique")


def _is_of_container(chain: Chain) -> bool:
    return chain.has(*OF_CONTAINERS, *OF_NODES)


def _candidate(chain: Chain) -> Candidate:
    if _is_of_container(chain):
        what = "a freehold::small_block_allocator for the container"
        lines = (
            "#include <freehold/memory/small_block_allocator.hpp>",
            "std::map<Key, Value, std::less<Key>, freehold::small_block_allocator<std::pair<const Key, Value>>> map;",
        )
    else:
        what = "freehold::pooled_object as a base of what is made"
        lines = ("#include <freehold/memory/pooled_object.hpp>", "struct node : freehold::pooled_object { … };")
    size = chain.sites[0].most_size
    return Candidate(
        change=f"{what} in {chain.where}",
        replayed=of_sites("pool", chain.numbers),
        sites=chain.numbers,
        evidence=f"{chain.blocks:,} blocks of {size} B each",
        refuted_by="code that must see its blocks in operator new; and sizes that other input brings",
        lines=lines,
    )
