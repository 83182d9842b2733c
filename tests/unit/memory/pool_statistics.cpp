// What the pools tell of their memory: statistics(), quiet_statistics() and walk().

#include <gtest/gtest.h>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/region_resource.hpp>
#include <freehold/memory/run_length_resource.hpp>
#include <freehold/memory/small_block_pool.hpp>

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

constexpr std::size_t one_slab = 65'536;

// Returns: what the pool tells if no other thread uses it.
template <class Resource>
freehold::pool_statistics statistics_of(Resource& resource) {
    if constexpr (requires { resource.quiet_statistics(); }) {
        return resource.quiet_statistics();
    } else {
        return resource.statistics();
    }
}

// Effects: expects that the statistics add up.
void expect_sums_are_right(const freehold::pool_statistics& found) {
    EXPECT_TRUE(found.is_counted);
    std::size_t slabs = 0;
    std::size_t live = 0;
    std::size_t cached = 0;
    std::size_t smaller = 0;
    for (const freehold::pool_class_statistics& each : found) {
        EXPECT_LT(smaller, each.block_bytes) << "not in order";
        smaller = each.block_bytes;
        EXPECT_GT(each.slabs, 0U);
        const std::size_t bytes = (each.live + each.cached) * each.block_bytes;
        EXPECT_LE(bytes, each.slabs * one_slab);
        EXPECT_GT(bytes, each.slabs * (one_slab - 1200 - each.block_bytes)) << each.block_bytes;
        slabs += each.slabs;
        live += each.live * each.block_bytes;
        cached += each.cached * each.block_bytes;
    }
    EXPECT_EQ(found.mapped, found.spare + slabs * one_slab);
    EXPECT_EQ(found.live, live);
    EXPECT_EQ(found.cached, cached);
}

// Effects: expects that the statistics count the blocks that the walk visits.
template <class Resource>
void expect_statistics_are_those_of_a_walk(Resource& resource) {
    const freehold::pool_statistics found = statistics_of(resource);
    expect_sums_are_right(found);
    std::map<std::size_t, std::size_t> visited;
    resource.walk([&](void*, std::size_t bytes) { ++visited[bytes]; });
    std::size_t small = 0;
    for (const freehold::pool_class_statistics& each : found) {
        const auto same = visited.find(each.block_bytes);
        EXPECT_EQ(each.live, same != visited.end() ? same->second : 0U) << each.block_bytes;
        small += each.live;
    }
    std::size_t all = 0;
    for (const auto& [bytes, count] : visited) all += count;
    EXPECT_EQ(found.large_blocks, all - small);
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

using pools = testing::Types<freehold::pool_resource, freehold::concurrent_pool_resource, freehold::region_resource,
                             freehold::run_length_resource>;
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

TYPED_TEST(pool_statistics, statistics_count_the_blocks_that_a_walk_visits) {
    for (unsigned round = 0; round < 3; ++round) {
        use(this->resource, this->live, round);
        expect_statistics_are_those_of_a_walk(this->resource);
    }
    for (const auto& [block, bytes] : this->live) this->resource.deallocate(block, bytes);
    this->live.clear();
    EXPECT_EQ(statistics_of(this->resource).live, 0U);
    expect_statistics_are_those_of_a_walk(this->resource);
}

TYPED_TEST(pool_statistics, each_block_is_counted_in_the_class_of_its_size) {
    for (int i = 0; i < 100; ++i) this->live[this->resource.allocate(48)] = 48;
    for (int i = 0; i < 10; ++i) this->live[this->resource.allocate(1024)] = 1024;
    const freehold::pool_statistics found = statistics_of(this->resource);
    ASSERT_EQ(found.class_count, 2U);
    EXPECT_EQ(found.classes[0].block_bytes, 48U);
    EXPECT_EQ(found.classes[0].live, 100U);
    EXPECT_EQ(found.classes[1].block_bytes, 1024U);
    EXPECT_EQ(found.classes[1].live, 10U);
    EXPECT_EQ(found.live, 48U * 100 + 1024U * 10);
    expect_sums_are_right(found);
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
    EXPECT_EQ(this->resource.statistics().large_blocks, 2U);
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
    expect_statistics_are_those_of_a_walk(resource);
    expect_walk_visits(resource, live);
    for (const auto& [block, bytes] : live) resource.deallocate(block, bytes);
    expect_walk_visits(resource, {});
}

TEST(concurrent_pool_statistics, at_any_time_the_slabs_of_each_size_are_known) {
    freehold::concurrent_pool_resource resource;
    blocks live;
    use(resource, live, 1);
    const freehold::pool_statistics found = resource.statistics();
    const freehold::pool_statistics quiet = resource.quiet_statistics();
    EXPECT_FALSE(found.is_counted);
    EXPECT_EQ(found.live + found.cached, 0U);
    EXPECT_EQ(found.large, quiet.large);
    EXPECT_EQ(found.mapped, quiet.mapped);
    ASSERT_EQ(found.class_count, quiet.class_count);
    for (std::size_t i = 0; i < found.class_count; ++i) EXPECT_EQ(found.classes[i].slabs, quiet.classes[i].slabs);
    for (const auto& [block, bytes] : live) resource.deallocate(block, bytes);
}

TEST(small_block_pool_statistics, the_blocks_of_the_process_are_counted_and_visited) {
    using pool = freehold::small_block_pool;
    const auto live_of = [](std::size_t bytes) {
        for (const freehold::pool_class_statistics& each : pool::quiet_statistics()) {
            if (each.block_bytes == bytes) return each.live;
        }
        return std::size_t{0};
    };
    const std::size_t before = live_of(48);
    std::vector<void*> made;
    for (int i = 0; i < 5000; ++i) made.push_back(pool::allocate(40));
    std::thread([&] {
        for (int i = 0; i < 1000; ++i, made.pop_back()) pool::deallocate(made.back(), 40);
    }).join();
    EXPECT_EQ(live_of(48), before + 4000);
    expect_sums_are_right(pool::quiet_statistics());
    EXPECT_GE(pool::statistics().mapped, 4000U * 48);
    std::size_t visited = 0;
    pool::walk([&](void*, std::size_t bytes) { visited += bytes == 48 ? 1 : 0; });
    EXPECT_EQ(visited, before + 4000);
    for (void* const each : made) pool::deallocate(each, 40);
    EXPECT_EQ(live_of(48), before);
}
