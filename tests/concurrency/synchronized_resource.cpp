// synchronized_resource: threads share an upstream that is not made for it. ThreadSanitizer looks on.

#include <gtest/gtest.h>
#include <freehold/memory/counting_resource.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/synchronized_resource.hpp>

#include <cstddef>
#include <list>
#include <memory_resource>
#include <vector>

#include "support/filled_block.hpp"
#include "support/threads.hpp"

namespace {

constexpr int threads = 4;
constexpr unsigned rounds = 2000;

}  // namespace

TEST(synchronized_resource_threads, threads_share_a_pool_for_one_thread) {
    freehold::pool_resource pool;
    freehold::counting_resource counted(&pool);
    freehold::synchronized_resource resource(&counted);
    support::in_threads(threads, [&](int thread) {
        std::vector<support::filled_block> live;
        for (unsigned i = 0; i < rounds; ++i) {
            live.emplace_back(resource, i % 300, std::size_t{1} << (i % 7), static_cast<unsigned>(thread) + 1);
            if (i % 3 == 0) continue;
            live.front().free(resource);
            live.erase(live.begin());
        }
        for (const support::filled_block& block : live) block.free(resource);
    });
    EXPECT_EQ(counted.counts().allocations, threads * rounds);
    EXPECT_EQ(counted.counts().live_blocks(), 0);
    EXPECT_EQ(counted.counts().live_bytes(), 0);
}

TEST(synchronized_resource_threads, a_block_is_freed_by_another_thread) {
    freehold::pool_resource pool;
    freehold::synchronized_resource resource(&pool);
    std::vector<std::pmr::list<unsigned>> lists;
    for (int i = 0; i < threads; ++i) lists.emplace_back(&resource);
    support::in_threads(threads, [&](int thread) {
        for (unsigned i = 0; i < rounds; ++i) lists[static_cast<std::size_t>(thread)].push_back(i);
    });
    support::in_threads(threads, [&](int thread) {
        auto& list = lists[static_cast<std::size_t>((thread + 1) % threads)];
        EXPECT_EQ(list.back(), rounds - 1);
        list.clear();
    });
}
