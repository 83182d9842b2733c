#include <gtest/gtest.h>
#include <freehold/memory/failing_resource.hpp>

#include <cstddef>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

#include "support/ledger_resource.hpp"

using freehold::failing_resource;

TEST(failing_resource, it_serves_as_many_allocations_as_are_allowed) {
    failing_resource resource(2);
    void* const first = resource.allocate(24);
    void* const second = resource.allocate(24);
    EXPECT_FALSE(resource.has_failed());
    EXPECT_THROW(static_cast<void>(resource.allocate(24)), std::bad_alloc);
    EXPECT_TRUE(resource.has_failed());
    resource.deallocate(second, 24);
    resource.deallocate(first, 24);
}

TEST(failing_resource, after_a_failure_all_that_follow_fail_whatever_is_freed) {
    failing_resource resource(1);
    resource.deallocate(resource.allocate(24), 24);
    for (int i = 0; i < 3; ++i) EXPECT_THROW(static_cast<void>(resource.allocate(0)), std::bad_alloc);
}

TEST(failing_resource, it_does_not_ask_the_upstream_when_it_fails) {
    support::ledger_resource upstream;
    failing_resource resource(0, &upstream);
    EXPECT_THROW(static_cast<void>(resource.allocate(24)), std::bad_alloc);
    EXPECT_EQ(upstream.last_request.bytes, 0U);
}

TEST(failing_resource, more_may_be_allowed) {
    failing_resource resource(0);
    EXPECT_THROW(static_cast<void>(resource.allocate(24)), std::bad_alloc);
    resource.allow(1);
    resource.deallocate(resource.allocate(24), 24);
    EXPECT_THROW(static_cast<void>(resource.allocate(24)), std::bad_alloc);
    EXPECT_TRUE(resource.has_failed());
}

TEST(failing_resource, an_exception_of_the_upstream_is_not_its_own_failure) {
    support::ledger_resource upstream;
    upstream.allocations_left = 0;
    failing_resource resource(1, &upstream);
    EXPECT_THROW(static_cast<void>(resource.allocate(24)), support::upstream_failure);
    EXPECT_FALSE(resource.has_failed());
}

// The loop that its page shows.
TEST(failing_resource, every_allocation_of_an_operation_fails_in_turn) {
    const auto operation = [](std::pmr::memory_resource* memory) {
        std::pmr::vector<std::pmr::string> names(memory);
        names.reserve(2);
        names.emplace_back("a name that is too long for the string itself");
        names.emplace_back("another one, so that there are three allocations");
    };
    std::size_t allowed = 0;
    for (;; ++allowed) {
        support::ledger_resource upstream;  // tells when a block is not given back
        failing_resource memory(allowed, &upstream);
        try {
            operation(&memory);
        } catch (const std::bad_alloc&) {
            EXPECT_TRUE(memory.has_failed());
        }
        EXPECT_EQ(upstream.bytes_live, 0U) << "where " << allowed << " allocations are served";
        if (!memory.has_failed()) break;
    }
    EXPECT_EQ(allowed, 3U);
}
