#include <gtest/gtest.h>
#include <freehold/memory/limiting_resource.hpp>

#include <cstddef>
#include <limits>
#include <new>

#include "support/ledger_resource.hpp"
#include "support/reentering_resource.hpp"

using freehold::limiting_resource;

TEST(limiting_resource, the_limit_is_reached_and_not_exceeded) {
    support::ledger_resource upstream;
    limiting_resource resource(100, &upstream);
    void* const first = resource.allocate(60);
    void* const second = resource.allocate(40);
    EXPECT_EQ(resource.allocated(), resource.limit());
    EXPECT_THROW(static_cast<void>(resource.allocate(1)), std::bad_alloc);
    resource.deallocate(second, 40);
    resource.deallocate(first, 60);
}

TEST(limiting_resource, beyond_the_limit_the_upstream_is_not_called_and_nothing_changes) {
    support::ledger_resource upstream;
    limiting_resource resource(100, &upstream);
    EXPECT_THROW(static_cast<void>(resource.allocate(101)), std::bad_alloc);
    EXPECT_EQ(upstream.last_request.bytes, 0U);
    EXPECT_EQ(resource.allocated(), 0U);
    resource.deallocate(resource.allocate(100), 100);
}

TEST(limiting_resource, freed_bytes_may_be_allocated_again) {
    support::ledger_resource upstream;
    limiting_resource resource(100, &upstream);
    for (int i = 0; i < 10; ++i) resource.deallocate(resource.allocate(100), 100);
    EXPECT_EQ(resource.allocated(), 0U);
}

TEST(limiting_resource, failed_requests_do_not_count) {
    support::ledger_resource upstream;
    limiting_resource resource(100, &upstream);
    upstream.allocations_left = 0;
    EXPECT_THROW(static_cast<void>(resource.allocate(60)), support::upstream_failure);
    EXPECT_EQ(resource.allocated(), 0U);
    upstream.allocations_left = 1;
    resource.deallocate(resource.allocate(100), 100);
}

TEST(limiting_resource, sizes_near_the_largest_number_do_not_wrap) {
    limiting_resource resource(100);
    void* const block = resource.allocate(60);
    EXPECT_THROW(static_cast<void>(resource.allocate(std::numeric_limits<std::size_t>::max())), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(resource.allocate(std::numeric_limits<std::size_t>::max() - 59)), std::bad_alloc);
    resource.deallocate(block, 60);
}

TEST(limiting_resource, an_upstream_that_allocates_from_it_stays_within_the_limit_as_well) {
    support::reentering_resource upstream;
    limiting_resource resource(100, &upstream);
    bool was_refused = false;
    upstream.use_above = [&] {
        EXPECT_EQ(resource.allocated(), 60U);
        EXPECT_THROW(static_cast<void>(resource.allocate(41)), std::bad_alloc);
        was_refused = true;
    };
    resource.deallocate(resource.allocate(60), 60);
    EXPECT_TRUE(was_refused);
    EXPECT_EQ(resource.allocated(), 0U);
}
