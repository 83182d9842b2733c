// What only a concurrent_monotonic_resource promises; what every resource does is in contracts/memory_resource/.

#include <gtest/gtest.h>
#include <freehold/memory/concurrent_monotonic_resource.hpp>

#include <cstddef>
#include <latch>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"

using freehold::concurrent_monotonic_resource;
using support::filled_block;

namespace {

// The bytes of a request for a chunk of that size.
constexpr std::size_t with_record(std::size_t capacity) {
    return capacity + freehold::detail::chunk::gap + sizeof(freehold::detail::chunk);
}

constexpr std::size_t largest = concurrent_monotonic_resource::usual_growth.largest_chunk;

}  // namespace

TEST(concurrent_monotonic_resource, deallocate_gives_nothing_back) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    const void* const first = resource.allocate(24);
    resource.deallocate(resource.allocate(24), 24);
    EXPECT_NE(resource.allocate(24), first);
    EXPECT_EQ(upstream.deallocations, 0);
}

TEST(concurrent_monotonic_resource, each_thread_has_a_chunk_of_its_own) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    const auto allocate = [&] {
        for (int i = 0; i < 10; ++i) static_cast<void>(resource.allocate(16));
    };
    allocate();
    EXPECT_EQ(upstream.allocations, 1);
    std::thread(allocate).join();
    EXPECT_EQ(upstream.allocations, 2);
    allocate();
    EXPECT_EQ(upstream.allocations, 2);
}

TEST(concurrent_monotonic_resource, the_first_chunk_has_a_kibibyte_with_its_record) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    static_cast<void>(resource.allocate(16));
    EXPECT_EQ(upstream.last_request.bytes, 1024 + freehold::detail::chunk::gap);
}

TEST(concurrent_monotonic_resource, chunks_of_a_thread_grow_by_the_factor_up_to_the_largest) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource({.first_chunk = 400, .factor = 3, .largest_chunk = 4000}, &upstream);
    std::vector<std::size_t> chunks;
    while (chunks.size() < 5) {
        const int before = upstream.allocations;
        static_cast<void>(resource.allocate(1, 1));
        if (upstream.allocations > before) chunks.push_back(upstream.last_request.bytes);
    }
    EXPECT_EQ(chunks, (std::vector<std::size_t>{with_record(400), with_record(1200), with_record(3600),
                                                with_record(4000), with_record(4000)}));
}

TEST(concurrent_monotonic_resource, the_chunks_of_another_thread_begin_small) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    for (int i = 0; i < 10000; ++i) static_cast<void>(resource.allocate(16));
    std::thread([&] { static_cast<void>(resource.allocate(16)); }).join();
    EXPECT_EQ(upstream.last_request.bytes, with_record(992));
}

TEST(concurrent_monotonic_resource, a_chunk_has_room_for_four_requests) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    for (int i = 0; i < 4; ++i) static_cast<void>(resource.allocate(5000));
    EXPECT_EQ(upstream.allocations, 1);
}

TEST(concurrent_monotonic_resource, a_request_above_a_quarter_of_the_largest_chunk_is_one_of_the_upstream) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    static_cast<void>(resource.allocate(16));
    static_cast<void>(resource.allocate(largest / 4 + 1));
    EXPECT_LT(upstream.last_request.bytes, largest / 4 + 64);
    static_cast<void>(resource.allocate(16));
    EXPECT_EQ(upstream.allocations, 2) << "the thread's chunk stays in use";
}

TEST(concurrent_monotonic_resource, a_thread_leaves_at_most_a_chunk_and_quarters_unused) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    std::size_t used = 0;
    std::size_t number = 1;
    for (int i = 0; i < 3000; ++i) {
        number = number * 1103515245 + 12345;
        const std::size_t bytes = (number >> 8) % (largest / 4 - 64);
        static_cast<void>(resource.allocate(bytes));
        used += bytes + 15 + freehold::detail::chunk::gap;
        const std::size_t records = static_cast<std::size_t>(upstream.allocations) * with_record(16) + 64;
        ASSERT_LE(upstream.bytes_live, used + largest + upstream.bytes_live / 4 + records);
    }
}

TEST(concurrent_monotonic_resource, the_rest_of_a_thread_that_has_ended_is_for_the_next_one) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    for (int i = 0; i < 100; ++i) std::thread([&] { static_cast<void>(resource.allocate(100)); }).join();
    EXPECT_LE(upstream.allocations, 5) << "chunks of 1, 2, 4 and 8 KiB have room for all, and one more under a checker";
}

TEST(concurrent_monotonic_resource, a_chunk_that_was_taken_over_belongs_to_one_thread_again) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    const auto allocate = [&] { static_cast<void>(resource.allocate(24)); };
    std::thread(allocate).join();
    std::thread([&] {
        allocate();
        EXPECT_EQ(upstream.allocations, 1);
        std::thread(allocate).join();
        EXPECT_EQ(upstream.allocations, 2);
    }).join();
}

TEST(concurrent_monotonic_resource, a_thread_may_use_more_resources_than_its_table_has_entries) {
    support::ledger_resource upstream;
    std::vector<std::unique_ptr<concurrent_monotonic_resource>> resources;
    std::vector<filled_block> blocks;
    for (int i = 0; i < 100; ++i) resources.push_back(std::make_unique<concurrent_monotonic_resource>(&upstream));
    for (unsigned round = 0; round < 3; ++round) {
        for (unsigned i = 0; i < 100; ++i) blocks.emplace_back(*resources[i], 24, 8, i + round);
    }
    for (const filled_block& block : blocks) EXPECT_TRUE(block.is_intact());
    EXPECT_EQ(upstream.allocations, 100) << "a chunk each, which the thread finds again";
}

TEST(concurrent_monotonic_resource, one_at_the_address_of_another_has_nothing_of_it) {
    support::ledger_resource upstream;
    std::optional<concurrent_monotonic_resource> resource;
    for (unsigned i = 0; i < 50; ++i) {
        resource.emplace(&upstream);
        EXPECT_TRUE(filled_block(*resource, 24, 8, i).is_intact());
        EXPECT_EQ(upstream.live.size(), 1U);
    }
}

TEST(concurrent_monotonic_resource, it_may_be_released_while_a_thread_lives_that_used_it) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    std::latch is_used(1);
    std::latch is_released(1);
    std::thread user([&] {
        static_cast<void>(resource.allocate(24));
        is_used.count_down();
        is_released.wait();
        EXPECT_TRUE(filled_block(resource, 24, 8, 1).is_intact());
    });
    is_used.wait();
    resource.release();
    EXPECT_EQ(upstream.bytes_live, 0U);
    is_released.count_down();
    user.join();
    EXPECT_GT(upstream.bytes_live, 0U);
}

TEST(concurrent_monotonic_resource, it_may_be_destroyed_before_a_thread_ends_that_used_it) {
    support::ledger_resource upstream;
    auto resource = std::make_unique<concurrent_monotonic_resource>(&upstream);
    std::latch is_used(1);
    std::latch is_destroyed(1);
    std::thread user([&] {
        static_cast<void>(resource->allocate(24));
        is_used.count_down();
        is_destroyed.wait();
    });
    is_used.wait();
    resource.reset();
    is_destroyed.count_down();
    user.join();
}

TEST(concurrent_monotonic_resource, after_release_chunks_begin_small_again) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    for (int i = 0; i < 10000; ++i) static_cast<void>(resource.allocate(16));
    resource.release();
    static_cast<void>(resource.allocate(16));
    EXPECT_EQ(upstream.bytes_live, with_record(992));
}

TEST(concurrent_monotonic_resource, when_its_upstream_fails_the_rest_of_the_chunk_stays_in_use) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    static_cast<void>(resource.allocate(16));
    upstream.allocations_left = 0;
    EXPECT_THROW(static_cast<void>(resource.allocate(2000)), support::upstream_failure);
    EXPECT_THROW(static_cast<void>(resource.allocate(100'000)), support::upstream_failure);
    EXPECT_TRUE(filled_block(resource, 500, 8, 1).is_intact());
}

TEST(concurrent_monotonic_resource, a_thread_whose_first_request_failed_may_ask_again) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    upstream.allocations_left = 0;
    EXPECT_THROW(static_cast<void>(resource.allocate(16)), support::upstream_failure);
    EXPECT_EQ(resource.try_allocate(16), nullptr);
    upstream.allocations_left = 1;
    EXPECT_TRUE(filled_block(resource, 16, 8, 1).is_intact());
}

TEST(concurrent_monotonic_resource, sizes_of_chunks_do_not_wrap) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    support::ledger_resource upstream;
    upstream.bytes_limit = std::size_t{1} << 20;
    for (const std::size_t factor : {std::size_t{2}, most}) {
        concurrent_monotonic_resource resource({.first_chunk = 64, .factor = factor, .largest_chunk = most}, &upstream);
        EXPECT_TRUE(filled_block(resource, 1000, 8, 1).is_intact());
        for (const std::size_t bytes : {most, most / 2, most / 4, most / 8, most / 32 - 8}) {
            EXPECT_THROW(static_cast<void>(resource.allocate(bytes)), std::bad_alloc) << bytes;
        }
    }
    concurrent_monotonic_resource resource({.first_chunk = most}, &upstream);
    EXPECT_THROW(static_cast<void>(resource.allocate(1)), std::bad_alloc);
}

TEST(concurrent_monotonic_resource, the_blocks_of_one_never_come_from_another) {
    concurrent_monotonic_resource first;
    concurrent_monotonic_resource second;
    std::set<void*> found;
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(found.insert(first.allocate(24)).second);
        EXPECT_TRUE(found.insert(second.allocate(24)).second);
    }
}
