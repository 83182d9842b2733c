#include <gtest/gtest.h>
#include <freehold/memory/concurrent_pool_resource.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <memory_resource>
#include <new>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"
#include "support/reentering_resource.hpp"

using freehold::concurrent_pool_resource;

namespace {

// Effects: runs the work in another thread and joins it.
template <class Work>
void in_another_thread(Work work) {
    std::thread(work).join();
}

std::vector<void*> allocate(concurrent_pool_resource& resource, std::size_t blocks, std::size_t bytes) {
    std::vector<void*> result(blocks);
    for (void*& block : result) block = resource.allocate(bytes);
    return result;
}

void deallocate(concurrent_pool_resource& resource, const std::vector<void*>& blocks, std::size_t bytes) {
    for (void* const block : blocks) resource.deallocate(block, bytes);
}

std::pmr::pool_options options_with_largest(std::size_t largest) {
    std::pmr::pool_options options;
    options.largest_required_pool_block = largest;
    return options;
}

}  // namespace

TEST(concurrent_pool_resource, options_returns_the_values_in_effect) {
    EXPECT_EQ(concurrent_pool_resource().options().largest_required_pool_block, 8192U);
    EXPECT_EQ(concurrent_pool_resource(options_with_largest(0)).options().largest_required_pool_block, 8192U);
    EXPECT_EQ(concurrent_pool_resource(options_with_largest(100)).options().largest_required_pool_block, 112U);
    EXPECT_EQ(concurrent_pool_resource(options_with_largest(9000)).options().largest_required_pool_block, 8192U);
}

TEST(concurrent_pool_resource, no_chunk_has_room_for_more_blocks_than_the_options_allow) {
    constexpr std::size_t in_slab = 4096;
    constexpr std::size_t smallest = 16;
    const auto most_blocks = [](std::size_t asked, std::pmr::memory_resource& upstream) {
        concurrent_pool_resource resource({asked, 0}, &upstream);
        static_cast<void>(allocate(resource, 40 * in_slab, smallest));
        return resource.options().max_blocks_per_chunk;
    };
    for (const auto& [asked, allowed] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, in_slab}, {1, in_slab}, {3 * in_slab + 1, 3 * in_slab}, {SIZE_MAX, 16 * in_slab}}) {
        support::ledger_resource ledger;
        EXPECT_EQ(most_blocks(asked, ledger), allowed) << asked;
        EXPECT_EQ(ledger.largest_request, allowed * smallest) << asked;
    }
}

TEST(concurrent_pool_resource, blocks_above_the_largest_pooled_size_come_from_the_upstream) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(options_with_largest(256), &upstream);
    void* const block = resource.allocate(257);
    EXPECT_EQ(upstream.allocations, 1);
    resource.deallocate(block, 257);
    EXPECT_EQ(upstream.deallocations, 1);
    deallocate(resource, allocate(resource, 100, 256), 256);
    EXPECT_EQ(upstream.allocations, 3) << "a heap and a chunk";
}

TEST(concurrent_pool_resource, blocks_of_one_size_do_not_overlap_and_come_in_the_order_of_their_addresses) {
    concurrent_pool_resource resource;
    const std::vector<void*> blocks = allocate(resource, 100, 48);
    for (std::size_t i = 1; i < 64; ++i) {
        EXPECT_EQ(static_cast<std::byte*>(blocks[i]) - static_cast<std::byte*>(blocks[i - 1]), 48);
    }
    deallocate(resource, blocks, 48);
}

TEST(concurrent_pool_resource, there_may_be_more_resources_than_thread_keys) {
    std::vector<std::unique_ptr<concurrent_pool_resource>> resources;
    std::vector<support::filled_block> blocks;
    for (unsigned i = 0; i < 1500; ++i) resources.push_back(std::make_unique<concurrent_pool_resource>());
    for (unsigned round = 0; round < 3; ++round) {
        for (unsigned i = 0; i < 1500; ++i) blocks.emplace_back(*resources[i], 24, 8, i + round);
    }
    in_another_thread([&] {
        for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].free(*resources[i % 1500]);
    });
}

TEST(concurrent_pool_resource, the_blocks_of_a_resource_never_come_from_another) {
    concurrent_pool_resource first;
    concurrent_pool_resource second;
    const std::vector<void*> blocks = allocate(first, 100, 24);
    deallocate(first, blocks, 24);
    const std::set<void*> found(blocks.begin(), blocks.end());
    const std::vector<void*> others = allocate(second, 100, 24);
    for (void* const block : others) EXPECT_FALSE(found.contains(block));
    deallocate(second, others, 24);
}

TEST(concurrent_pool_resource, a_thread_adopts_the_heap_of_an_exited_one) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    const auto work = [&] { deallocate(resource, allocate(resource, 1000, 64), 64); };
    in_another_thread(work);
    const int allocations = upstream.allocations;
    for (int i = 0; i < 50; ++i) in_another_thread(work);
    EXPECT_EQ(upstream.allocations, allocations);
}

TEST(concurrent_pool_resource, blocks_of_an_exited_thread_serve_one_that_has_a_heap) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    resource.deallocate(resource.allocate(16), 16);
    in_another_thread([&] { deallocate(resource, allocate(resource, 5000, 64), 64); });
    const int allocations = upstream.allocations;
    for (int round = 0; round < 3; ++round) deallocate(resource, allocate(resource, 5000, 64), 64);
    EXPECT_EQ(upstream.allocations, allocations);
}

TEST(concurrent_pool_resource, blocks_that_another_thread_has_freed_come_back) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    int allocations = 0;
    for (int round = 0; round < 30; ++round) {
        const std::vector<void*> blocks = allocate(resource, 3000, 48);
        in_another_thread([&] { deallocate(resource, blocks, 48); });
        if (round == 0) allocations = upstream.allocations;
        EXPECT_EQ(upstream.allocations, allocations) << "round " << round;
    }
}

TEST(concurrent_pool_resource, flush_sends_blocks_of_other_threads_home) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    std::vector<void*> blocks = allocate(resource, 63, 1024);  // the whole of a slab
    std::atomic<int> stage = 0;
    std::thread other([&] {
        resource.deallocate(blocks.back(), 1024);
        resource.flush();
        stage = 1;
        stage.notify_one();
        stage.wait(1);
    });
    stage.wait(0);
    upstream.allocations_left = 0;
    EXPECT_EQ(resource.allocate(1024), blocks.back());
    stage = 2;
    stage.notify_one();
    other.join();
    deallocate(resource, blocks, 1024);
}

TEST(concurrent_pool_resource, a_resource_may_be_destroyed_before_the_threads_that_used_it) {
    support::ledger_resource upstream;
    for (int round = 0; round < 20; ++round) {
        auto resource = std::make_unique<concurrent_pool_resource>(&upstream);
        std::atomic<int> stage = 0;
        std::thread user([&] {
            const std::vector<void*> blocks = allocate(*resource, 100, 40);
            deallocate(*resource, blocks, 40);
            stage = 1;
            stage.notify_one();
            stage.wait(1);
            concurrent_pool_resource other(&upstream);
            deallocate(other, allocate(other, 100, 40), 40);
        });
        stage.wait(0);
        resource.reset();
        stage = 2;
        stage.notify_one();
        user.join();
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(concurrent_pool_resource, after_release_threads_that_used_it_get_new_heaps) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    allocate(resource, 100, 40);
    std::atomic<int> stage = 0;
    std::thread user([&] {
        allocate(resource, 100, 40);
        stage = 1;
        stage.notify_one();
        stage.wait(1);
        deallocate(resource, allocate(resource, 100, 40), 40);
    });
    stage.wait(0);
    resource.release();
    EXPECT_EQ(upstream.bytes_live, 0U);
    stage = 2;
    stage.notify_one();
    deallocate(resource, allocate(resource, 100, 40), 40);
    user.join();
}

TEST(concurrent_pool_resource, freeing_needs_no_memory) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    const std::vector<void*> blocks = allocate(resource, 1022, 64);  // the whole of a slab
    upstream.allocations_left = 0;
    // The thread has no heap and cannot make one.
    in_another_thread([&] { deallocate(resource, blocks, 64); });
    const std::vector<void*> again = allocate(resource, 1022, 64);
    EXPECT_EQ(std::set<void*>(again.begin(), again.end()), std::set<void*>(blocks.begin(), blocks.end()));
    deallocate(resource, again, 64);
}

TEST(concurrent_pool_resource, large_blocks_may_be_freed_by_any_thread_and_in_any_order) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    std::vector<support::filled_block> blocks;
    for (unsigned i = 0; i < 30; ++i) blocks.emplace_back(resource, 8193 + 1000 * i, std::size_t{1} << i % 13, i);
    for (const std::size_t first : support::sizes{1, 0, 2}) {
        in_another_thread([&] {
            for (std::size_t i = first; i < blocks.size(); i += 3) blocks[i].free(resource);
        });
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(concurrent_pool_resource, an_upstream_may_use_the_resource_above_it) {
    support::reentering_resource upstream;
    concurrent_pool_resource resource(&upstream);
    upstream.use_above = [&] { std::pmr::list<int> lines(100, 7, &resource); };
    for (const std::size_t bytes : support::sizes{24, 600, 8192, 20'000}) {
        std::vector<support::filled_block> blocks;
        for (unsigned i = 0; i < 200; ++i) blocks.emplace_back(resource, bytes, 8, i);
        for (const support::filled_block& block : blocks) block.free(resource);
    }
}
