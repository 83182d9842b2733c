#include <gtest/gtest.h>
#include <freehold/memory/synchronized_resource.hpp>

#include "support/ledger_resource.hpp"
#include "support/reentering_resource.hpp"

using freehold::synchronized_resource;

TEST(synchronized_resource, requests_are_passed_on_as_they_are) {
    support::ledger_resource upstream;
    synchronized_resource resource(&upstream);
    void* const block = resource.allocate(24, 64);
    EXPECT_EQ(upstream.last_request.bytes, 24U);
    EXPECT_EQ(upstream.last_request.alignment, 64U);
    resource.deallocate(block, 24, 64);
}

TEST(synchronized_resource, it_serves_again_after_an_exception_of_the_upstream) {
    support::ledger_resource upstream;
    upstream.allocations_left = 0;
    synchronized_resource resource(&upstream);
    EXPECT_THROW(static_cast<void>(resource.allocate(24)), support::upstream_failure);
    upstream.allocations_left = 1;
    resource.deallocate(resource.allocate(24), 24);
}

TEST(synchronized_resource, an_upstream_may_use_the_resource_above_it) {
    support::reentering_resource upstream;
    synchronized_resource resource(&upstream);
    int served_within = 0;
    upstream.use_above = [&] {
        resource.deallocate(resource.allocate(24), 24);
        ++served_within;
    };
    resource.deallocate(resource.allocate(100), 100);
    EXPECT_GT(served_within, 0);
}
