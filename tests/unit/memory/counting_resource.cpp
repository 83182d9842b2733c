#include <gtest/gtest.h>
#include <freehold/memory/counting_resource.hpp>

#include <cstddef>
#include <new>

#include "support/ledger_resource.hpp"

using freehold::counting_resource;

TEST(counting_resource, nothing_is_counted_at_first) {
    const counting_resource resource;
    EXPECT_EQ(resource.counts().allocations, 0U);
    EXPECT_EQ(resource.counts().deallocations, 0U);
    EXPECT_EQ(resource.counts().live_bytes(), 0);
    EXPECT_EQ(resource.counts().peak_bytes, 0);
}

TEST(counting_resource, blocks_and_bytes_are_counted) {
    counting_resource resource;
    void* const small = resource.allocate(24);
    void* const large = resource.allocate(100, 64);
    resource.deallocate(large, 100, 64);
    EXPECT_EQ(resource.counts().allocations, 2U);
    EXPECT_EQ(resource.counts().deallocations, 1U);
    EXPECT_EQ(resource.counts().bytes_allocated, 124U);
    EXPECT_EQ(resource.counts().bytes_freed, 100U);
    EXPECT_EQ(resource.counts().live_blocks(), 1);
    EXPECT_EQ(resource.counts().live_bytes(), 24);
    resource.deallocate(small, 24);
    EXPECT_EQ(resource.counts().live_blocks(), 0);
    EXPECT_EQ(resource.counts().live_bytes(), 0);
}

TEST(counting_resource, calls_as_any_resource_are_counted) {
    counting_resource resource;
    std::pmr::memory_resource& any = resource;
    any.deallocate(any.allocate(24), 24);
    EXPECT_EQ(resource.counts().bytes_allocated, 24U);
    EXPECT_EQ(resource.counts().bytes_freed, 24U);
}

TEST(counting_resource, the_peak_is_the_maximum_of_live_bytes) {
    counting_resource resource;
    resource.deallocate(resource.allocate(100), 100);
    void* const first = resource.allocate(60);
    void* const second = resource.allocate(60);
    resource.deallocate(first, 60);
    resource.deallocate(second, 60);
    resource.deallocate(resource.allocate(80), 80);
    EXPECT_EQ(resource.counts().peak_bytes, 120);
}

TEST(counting_resource, failed_requests_are_not_counted) {
    support::ledger_resource upstream;
    upstream.allocations_left = 0;
    counting_resource resource(&upstream);
    EXPECT_THROW(static_cast<void>(resource.allocate(24)), support::upstream_failure);
    EXPECT_EQ(resource.counts().allocations, 0U);
    EXPECT_EQ(resource.counts().bytes_allocated, 0U);
    EXPECT_EQ(resource.counts().peak_bytes, 0);
}

TEST(counting_resource, a_scope_counts_from_its_construction_on) {
    counting_resource resource;
    void* const before = resource.allocate(1000);
    const counting_resource::scope scope(resource);
    EXPECT_EQ(scope.counts().allocations, 0U);
    EXPECT_EQ(scope.counts().peak_bytes, 0);
    resource.deallocate(resource.allocate(24), 24);
    EXPECT_EQ(scope.counts().allocations, 1U);
    EXPECT_EQ(scope.counts().deallocations, 1U);
    EXPECT_EQ(scope.counts().bytes_allocated, 24U);
    EXPECT_EQ(scope.counts().bytes_freed, 24U);
    EXPECT_EQ(scope.counts().peak_bytes, 24);
    resource.deallocate(before, 1000);
}

TEST(counting_resource, freeing_older_blocks_makes_live_counts_negative) {
    counting_resource resource;
    void* const before = resource.allocate(1000);
    const counting_resource::scope scope(resource);
    resource.deallocate(before, 1000);
    resource.deallocate(resource.allocate(24), 24);
    EXPECT_EQ(scope.counts().live_blocks(), -1);
    EXPECT_EQ(scope.counts().live_bytes(), -1000);
    EXPECT_EQ(scope.counts().peak_bytes, 0);
}

TEST(counting_resource, what_happens_in_a_scope_counts_for_those_around_it) {
    counting_resource resource;
    const counting_resource::scope outer(resource);
    resource.deallocate(resource.allocate(24), 24);
    {
        const counting_resource::scope inner(resource);
        resource.deallocate(resource.allocate(100), 100);
        EXPECT_EQ(inner.counts().allocations, 1U);
        EXPECT_EQ(outer.counts().allocations, 2U);
        EXPECT_EQ(resource.counts().allocations, 2U);
    }
    EXPECT_EQ(outer.counts().allocations, 2U);
    EXPECT_EQ(outer.counts().bytes_freed, 124U);
}

TEST(counting_resource, a_peak_counts_for_the_scopes_that_it_was_in) {
    counting_resource resource;
    resource.deallocate(resource.allocate(500), 500);
    const counting_resource::scope outer(resource);
    resource.deallocate(resource.allocate(300), 300);
    {
        const counting_resource::scope inner(resource);
        resource.deallocate(resource.allocate(100), 100);
        EXPECT_EQ(inner.counts().peak_bytes, 100);
        EXPECT_EQ(outer.counts().peak_bytes, 300);
        EXPECT_EQ(resource.counts().peak_bytes, 500);
        resource.deallocate(resource.allocate(400), 400);
        EXPECT_EQ(inner.counts().peak_bytes, 400);
        EXPECT_EQ(outer.counts().peak_bytes, 400);
        EXPECT_EQ(resource.counts().peak_bytes, 500);
    }
    EXPECT_EQ(outer.counts().peak_bytes, 400);
    EXPECT_EQ(resource.counts().peak_bytes, 500);
}

TEST(counting_resource, the_peak_of_an_inner_scope_excludes_older_blocks) {
    counting_resource resource;
    const counting_resource::scope outer(resource);
    void* const before = resource.allocate(1000);
    {
        const counting_resource::scope inner(resource);
        resource.deallocate(resource.allocate(24), 24);
        EXPECT_EQ(inner.counts().peak_bytes, 24);
    }
    EXPECT_EQ(outer.counts().peak_bytes, 1024);
    resource.deallocate(before, 1000);
}

TEST(counting_resource, a_destroyed_scope_keeps_higher_peaks_before_it) {
    counting_resource resource;
    const counting_resource::scope outer(resource);
    resource.deallocate(resource.allocate(300), 300);
    {
        const counting_resource::scope inner(resource);
        resource.deallocate(resource.allocate(100), 100);
    }
    EXPECT_EQ(outer.counts().peak_bytes, 300);
    EXPECT_EQ(resource.counts().peak_bytes, 300);
}
