#include <gtest/gtest.h>
#include <freehold/memory/pmr.hpp>

#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include "support/ledger_resource.hpp"

namespace pmr = freehold::pmr;

// As the standard's: none is copied, and one argument does not convert.
static_assert(!std::is_copy_constructible_v<pmr::monotonic_buffer_resource>);
static_assert(!std::is_copy_assignable_v<pmr::monotonic_buffer_resource>);
static_assert(!std::is_convertible_v<std::pmr::memory_resource*, pmr::monotonic_buffer_resource>);
static_assert(!std::is_convertible_v<std::size_t, pmr::monotonic_buffer_resource>);
static_assert(!std::is_copy_constructible_v<pmr::unsynchronized_pool_resource>);
static_assert(!std::is_convertible_v<std::pmr::memory_resource*, pmr::unsynchronized_pool_resource>);
static_assert(!std::is_convertible_v<std::pmr::pool_options, pmr::unsynchronized_pool_resource>);
static_assert(!std::is_copy_constructible_v<pmr::synchronized_pool_resource>);
static_assert(!std::is_convertible_v<std::pmr::memory_resource*, pmr::synchronized_pool_resource>);
static_assert(!std::is_convertible_v<std::pmr::pool_options, pmr::synchronized_pool_resource>);

TEST(pmr, without_one_that_is_set_the_default_resource_is_the_standard_s) {
    std::byte buffer[100];
    std::pmr::memory_resource* const standard = std::pmr::new_delete_resource();
    EXPECT_EQ(pmr::monotonic_buffer_resource().upstream_resource(), standard);
    EXPECT_EQ(pmr::monotonic_buffer_resource(100).upstream_resource(), standard);
    EXPECT_EQ(pmr::monotonic_buffer_resource(buffer, sizeof buffer).upstream_resource(), standard);
    EXPECT_EQ(pmr::unsynchronized_pool_resource().upstream_resource(), standard);
    EXPECT_EQ(pmr::unsynchronized_pool_resource(std::pmr::pool_options()).upstream_resource(), standard);
    EXPECT_EQ(pmr::synchronized_pool_resource().upstream_resource(), standard);
}

TEST(pmr, each_takes_the_default_resource_of_the_moment_of_its_construction) {
    support::ledger_resource resource;
    std::pmr::memory_resource* const before = std::pmr::set_default_resource(&resource);
    std::byte buffer[16];
    EXPECT_EQ(pmr::monotonic_buffer_resource().upstream_resource(), &resource);
    EXPECT_EQ(pmr::monotonic_buffer_resource(100).upstream_resource(), &resource);
    EXPECT_EQ(pmr::monotonic_buffer_resource(buffer, sizeof buffer).upstream_resource(), &resource);
    EXPECT_EQ(pmr::unsynchronized_pool_resource().upstream_resource(), &resource);
    EXPECT_EQ(pmr::unsynchronized_pool_resource(std::pmr::pool_options()).upstream_resource(), &resource);
    EXPECT_EQ(pmr::synchronized_pool_resource().upstream_resource(), &resource);
    EXPECT_EQ(pmr::synchronized_pool_resource(std::pmr::pool_options()).upstream_resource(), &resource);
    std::pmr::set_default_resource(before);
}

TEST(pmr, each_takes_the_default_of_the_standard_where_none_was_set) {
    EXPECT_EQ(pmr::synchronized_pool_resource().upstream_resource(), std::pmr::new_delete_resource());
}

TEST(pmr, each_takes_an_upstream) {
    support::ledger_resource resource;
    std::byte buffer[16];
    EXPECT_EQ(pmr::monotonic_buffer_resource(&resource).upstream_resource(), &resource);
    EXPECT_EQ(pmr::monotonic_buffer_resource(100, &resource).upstream_resource(), &resource);
    EXPECT_EQ(pmr::monotonic_buffer_resource(buffer, sizeof buffer, &resource).upstream_resource(), &resource);
    EXPECT_EQ(pmr::unsynchronized_pool_resource(&resource).upstream_resource(), &resource);
    EXPECT_EQ(pmr::unsynchronized_pool_resource({}, &resource).upstream_resource(), &resource);
    EXPECT_EQ(pmr::synchronized_pool_resource(&resource).upstream_resource(), &resource);
    EXPECT_EQ(pmr::synchronized_pool_resource({}, &resource).upstream_resource(), &resource);
}

TEST(pmr, a_container_takes_its_memory_from_them) {
    support::ledger_resource upstream;
    pmr::unsynchronized_pool_resource pool(&upstream);
    pmr::monotonic_buffer_resource buffer(&upstream);
    const std::pmr::vector<int> pooled({1, 2, 3}, &pool);
    const std::pmr::vector<int> bumped({1, 2, 3}, &buffer);
    EXPECT_EQ(upstream.allocations, 2);
    EXPECT_EQ(pooled, bumped);
}

TEST(pmr, release_gives_everything_back) {
    support::ledger_resource upstream;
    pmr::unsynchronized_pool_resource pool(&upstream);
    pmr::synchronized_pool_resource shared(&upstream);
    pmr::monotonic_buffer_resource buffer(&upstream);
    static_cast<void>(pool.allocate(100));
    static_cast<void>(shared.allocate(100));
    static_cast<void>(buffer.allocate(100));
    pool.release();
    shared.release();
    buffer.release();
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(pmr, the_options_in_effect_are_told) {
    const pmr::unsynchronized_pool_resource pool(std::pmr::pool_options{7, 100});
    EXPECT_EQ(pool.options().max_blocks_per_chunk, 7U);
    EXPECT_EQ(pool.options().largest_required_pool_block, 104U);
    EXPECT_EQ(pmr::synchronized_pool_resource({7, 100}).options().largest_required_pool_block, 112U);
}

TEST(pmr, they_may_be_derived_from) {
    struct counting : pmr::unsynchronized_pool_resource {
        using unsynchronized_pool_resource::unsynchronized_pool_resource;

        int allocations = 0;

    private:
        void* do_allocate(std::size_t bytes, std::size_t alignment) override {
            ++allocations;
            return unsynchronized_pool_resource::do_allocate(bytes, alignment);
        }
    };
    counting pool;
    pool.deallocate(pool.allocate(1), 1);
    EXPECT_EQ(pool.allocations, 1);
}
