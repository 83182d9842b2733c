// The contract of the memory resources: after any operations, no block overlaps another.

#include <cstddef>
#include <random>
#include <vector>

#include "families.hpp"
#include "support/filled_block.hpp"

namespace contracts {

using support::filled_block;

namespace {

struct request {
    std::size_t bytes;
    std::size_t alignment;
};

request any_request(std::mt19937& random) {
    // As many small as large ones: the number of bits is uniform.
    return {random() % (std::size_t{1} << (1 + random() % 15)), std::size_t{1} << (random() % 8)};
}

request small_request(std::mt19937& random) { return {16 + random() % 49, 8}; }

// Effects: allocates and frees at random, while the number of blocks rises and falls several times.
template <class Family>
void allocate_and_free(request (*next_request)(std::mt19937&)) {
    support::ledger_resource upstream;
    auto resource = Family::make(&upstream);
    std::vector<filled_block> live;
    std::mt19937 random(20260131);
    for (unsigned step = 0; step < 30'000; ++step) {
        const bool rising = step / 2500 % 2 == 0;
        if (live.empty() || random() % 4 < (rising ? 3U : 1U)) {
            const request next = next_request(random);
            live.emplace_back(resource, next.bytes, next.alignment, step);
            continue;
        }
        if (!Family::frees_last_first) std::swap(live[random() % live.size()], live.back());
        live.back().free(resource);
        live.pop_back();
    }
    while (!live.empty()) {
        live.back().free(resource);
        live.pop_back();
    }
}

}  // namespace

CONTRACT(memory_resource, blocks_of_any_size_do_not_overlap) { allocate_and_free<TypeParam>(any_request); }

CONTRACT(memory_resource, small_blocks_do_not_overlap) { allocate_and_free<TypeParam>(small_request); }

}  // namespace contracts
