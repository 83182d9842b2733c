// What the pools tell of their memory: statistics() and walk().

#include <gtest/gtest.h>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/pool_resource.hpp>

#include <cstddef>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "support/ledger_resource.hpp"

namespace {

// The blocks in use, with the bytes that were asked for.
using blocks = std::map<void*, std::size_t>;

// Effects: allocates and frees blocks of all sizes at random.
template <class Resource>
void use(Resource& resource, blocks& live, unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 30'000; ++i) {
        if (live.size() < 2000 || random() % 2 == 0) {
            const std::size_t bytes = 1 + random() % (random() % 50 == 0 ? 30'000 : 600);
            live[resource.allocate(bytes)] = bytes;
        } else {
            resource.deallocate(live.begin()->first, live.begin()->second);
            live.erase(live.begin());
        }
    }
}

// Effects: expects that the walk visits the blocks, each once and with no fewer bytes than were asked for.
template <class Resource>
void expect_walk_visits(Resource& resource, const blocks& live) {
    blocks visited;
    resource.walk([&](void* block, std::size_t bytes) {
        EXPECT_TRUE(visited.emplace(block, bytes).second) << "visited twice";
        const auto asked = live.find(block);
        ASSERT_NE(asked, live.end()) << "a block that is free";
        EXPECT_GE(bytes, asked->second);
    });
    EXPECT_EQ(visited.size(), live.size());
}

template <class Resource>
class pool_statistics : public testing::Test {
protected:
    ~pool_statistics() override {
        for (const auto& [block, bytes] : live) resource.deallocate(block, bytes);
    }

    support::ledger_resource upstream;
    Resource resource{&upstream};
    blocks live;
};

using pools = testing::Types<freehold::pool_resource, freehold::concurrent_pool_resource>;
TYPED_TEST_SUITE(pool_statistics, pools);

}  // namespace

TYPED_TEST(pool_statistics, a_walk_visits_each_block_in_use_once) {
    use(this->resource, this->live, 1);
    expect_walk_visits(this->resource, this->live);
}

TYPED_TEST(pool_statistics, after_a_walk_the_pool_goes_on_as_before) {
    for (unsigned round = 0; round < 3; ++round) {
        use(this->resource, this->live, round);
        expect_walk_visits(this->resource, this->live);
    }
}

TYPED_TEST(pool_statistics, a_pool_that_was_not_used_has_no_memory) {
    const freehold::pool_statistics found = this->resource.statistics();
    EXPECT_EQ(found.mapped + found.spare + found.large, 0U);
    expect_walk_visits(this->resource, {});
}

TYPED_TEST(pool_statistics, large_blocks_are_counted_with_the_bytes_that_were_asked_for) {
    this->live[this->resource.allocate(100'000)] = 100'000;
    this->live[this->resource.allocate(20'001)] = 20'001;
    EXPECT_EQ(this->resource.statistics().large, 120'001U);
    EXPECT_EQ(this->resource.statistics().mapped, 0U);
}

TYPED_TEST(pool_statistics, mapped_and_large_are_what_the_upstream_has_given_but_for_the_records) {
    use(this->resource, this->live, 7);
    const freehold::pool_statistics found = this->resource.statistics();
    EXPECT_LE(found.mapped + found.large, this->upstream.bytes_live);
    EXPECT_GE(found.mapped + found.large + 32'768, this->upstream.bytes_live);
    EXPECT_LT(found.spare, found.mapped);
}

TYPED_TEST(pool_statistics, after_trim_nothing_is_mapped_where_nothing_is_in_use) {
    use(this->resource, this->live, 3);
    for (const auto& [block, bytes] : this->live) this->resource.deallocate(block, bytes);
    this->live.clear();
    this->resource.trim();
    const freehold::pool_statistics found = this->resource.statistics();
    EXPECT_EQ(found.mapped + found.spare + found.large, 0U);
}

TEST(concurrent_pool_statistics, a_walk_visits_the_blocks_of_all_threads_and_none_that_another_thread_has_freed) {
    freehold::concurrent_pool_resource resource;
    blocks live;
    use(resource, live, 1);
    std::thread([&] { use(resource, live, 2); }).join();
    std::thread([&] { use(resource, live, 3); }).join();
    expect_walk_visits(resource, live);
    for (const auto& [block, bytes] : live) resource.deallocate(block, bytes);
    expect_walk_visits(resource, {});
}
