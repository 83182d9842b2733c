// The small-block pool when the system has no memory.

#include <gtest/gtest.h>
#include <freehold/memory/small_block_allocator.hpp>
#include <freehold/memory/small_block_pool.hpp>

#include <cstddef>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "support/allocation_failure.hpp"

using freehold::small_block_pool;

namespace {

void* allocate_with(int allowed, std::size_t bytes) {
    const support::limited_new limit(allowed);
    return small_block_pool::allocate(bytes);
}

}  // namespace

TEST(small_block_pool_failure, it_throws_when_the_system_has_no_memory) {
    const support::drained_pool drained;
    for (std::size_t bytes = 1; bytes <= small_block_pool::largest; ++bytes) {
        EXPECT_THROW(allocate_with(0, bytes), std::bad_alloc) << bytes;
    }
}

TEST(small_block_pool_failure, a_thread_without_a_heap_is_served_from_two_allocations) {
    const support::drained_pool drained;
    std::thread([] {
        for (const int allowed : {0, 1}) {
            const support::limited_new limit(allowed);
            EXPECT_EQ(small_block_pool::try_allocate(64), nullptr);
        }
        void* const block = allocate_with(1, 64);
        EXPECT_NE(block, nullptr);
        small_block_pool::deallocate(block, 64);
    }).join();
}

TEST(small_block_pool_failure, it_serves_again_when_the_system_does) {
    const support::drained_pool drained;
    EXPECT_THROW(allocate_with(0, 64), std::bad_alloc);
    void* const block = allocate_with(1, 64);
    EXPECT_NE(block, nullptr);
    small_block_pool::deallocate(block, 64);
}

TEST(small_block_pool_failure, every_class_is_served_from_one_allocation) {
    const support::drained_pool drained;
    std::vector<void*> blocks;
    blocks.reserve(small_block_pool::largest);
    {
        const support::limited_new limit(1);
        for (std::size_t bytes = 16; bytes <= small_block_pool::largest; bytes += 16) {
            blocks.push_back(small_block_pool::allocate(bytes));
        }
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) small_block_pool::deallocate(blocks[i], 16 * (i + 1));
}

TEST(small_block_pool_failure, a_class_without_blocks_leaves_the_others_as_they_are) {
    const support::drained_pool drained;
    void* const held = small_block_pool::allocate(64);  // so that its slab does not serve the other class
    small_block_pool::deallocate(small_block_pool::allocate(64), 64);
    // The rest of the chunk that this class has opened is used up first.
    std::vector<void*> large;
    large.reserve(10000);
    const auto exhaust = [&] {
        const support::limited_new limit(0);
        while (true) large.push_back(small_block_pool::allocate(small_block_pool::largest));
    };
    EXPECT_THROW(exhaust(), std::bad_alloc);
    void* const block = allocate_with(0, 64);
    small_block_pool::deallocate(block, 64);
    small_block_pool::deallocate(held, 64);
    for (void* const each : large) small_block_pool::deallocate(each, small_block_pool::largest);
}

TEST(small_block_pool_failure, freeing_needs_no_memory) {
    std::vector<void*> blocks(1000);
    for (void*& block : blocks) block = small_block_pool::allocate(80);
    const support::limited_new none(0);
    for (void* const block : blocks) small_block_pool::deallocate(block, 80);
}

TEST(small_block_pool_failure, freeing_needs_no_memory_in_a_thread_without_a_heap) {
    std::vector<void*> blocks(1000);
    for (void*& block : blocks) block = small_block_pool::allocate(80);
    std::thread([&] {
        const support::limited_new none(0);
        for (void* const block : blocks) small_block_pool::deallocate(block, 80);
    }).join();
    std::vector<void*> again(blocks.size() + 100);
    for (void*& block : again) block = small_block_pool::allocate(80);
    const std::set<void*> found(again.begin(), again.end());
    for (void* const block : blocks) EXPECT_TRUE(found.contains(block));
    for (void* const block : again) small_block_pool::deallocate(block, 80);
}

TEST(small_block_pool_failure, the_allocator_passes_the_exception_on_for_large_requests) {
    freehold::small_block_allocator<char> allocator;
    const support::limited_new none(0);
    EXPECT_THROW(static_cast<void>(allocator.allocate(small_block_pool::largest + 1)), std::bad_alloc);
}
