#include <gtest/gtest.h>
#include <freehold/memory/counting_resource.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>

#include "support/filled_block.hpp"
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

namespace {

// Returns: the name's memory; all 0 if no scope had it. Null is the name of what no named scope has allocated.
freehold::held_memory held_by(const counting_resource& resource, const char* name) {
    freehold::held_memory found{};
    resource.held([&](const freehold::held_memory& each) {
        const bool is_same =
            name == nullptr || each.name == nullptr ? name == each.name : !std::strcmp(each.name, name);
        if (is_same) found = each;
    });
    return found;
}

}  // namespace

TEST(counting_resource, by_scope_tells_who_holds_what_is_not_freed) {
    support::ledger_resource upstream;
    counting_resource resource(counting_resource::by_scope{}, &upstream);
    void* const outside = resource.allocate(10);
    void* kept = nullptr;
    {
        const counting_resource::scope parsing(resource, "parsing");
        kept = resource.allocate(1000);
        resource.deallocate(resource.allocate(500), 500);
    }
    void* const later = resource.allocate(20);
    EXPECT_EQ(held_by(resource, "parsing").blocks, 1U);
    EXPECT_EQ(held_by(resource, "parsing").bytes, 1000U);
    EXPECT_EQ(held_by(resource, "parsing").peak_bytes, 1500U);
    EXPECT_EQ(held_by(resource, nullptr).bytes, 30U);
    {
        const counting_resource::scope answering(resource, "answering");
        resource.deallocate(kept, 1000);  // it was parsing that held it
        EXPECT_EQ(held_by(resource, "answering").bytes, 0U);
    }
    EXPECT_EQ(held_by(resource, "parsing").blocks, 0U);
    EXPECT_EQ(held_by(resource, "parsing").bytes, 0U);
    EXPECT_EQ(resource.counts().live_bytes(), 30);
    resource.deallocate(outside, 10);
    resource.deallocate(later, 20);
}

TEST(counting_resource, by_scope_the_innermost_name_holds) {
    counting_resource resource(counting_resource::by_scope{});
    void* blocks[4];
    {
        const counting_resource::scope outer(resource, "outer");
        blocks[0] = resource.allocate(1);
        {
            const counting_resource::scope inner(resource, "inner");
            const counting_resource::scope without_name(resource);
            blocks[1] = resource.allocate(2);
        }
        blocks[2] = resource.allocate(4);
    }
    const counting_resource::scope again(resource, "outer");
    blocks[3] = resource.allocate(8);
    EXPECT_EQ(held_by(resource, "outer").bytes, 13U);
    EXPECT_EQ(held_by(resource, "inner").bytes, 2U);
    for (std::size_t i = 0; i < 4; ++i) resource.deallocate(blocks[i], std::size_t{1} << i);
}

TEST(counting_resource, by_scope_blocks_are_aligned_and_refused_as_without) {
    support::ledger_resource upstream;
    counting_resource resource(counting_resource::by_scope{}, &upstream);
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (const std::size_t bytes : support::sizes{0, 1, 100, 5000}) {
            support::filled_block(resource, bytes, alignment, 7).free(resource);
        }
    }
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const std::size_t bytes : support::sizes{most, most - 15, most - 16, most / 2}) {
        EXPECT_THROW(static_cast<void>(resource.allocate(bytes)), std::bad_alloc);
    }
    EXPECT_EQ(resource.counts().live_blocks(), 0);
}

TEST(counting_resource, by_scope_a_name_for_which_there_is_no_memory_changes_nothing) {
    support::ledger_resource upstream;
    counting_resource resource(counting_resource::by_scope{}, &upstream);
    const counting_resource::scope outer(resource, "outer");
    upstream.allocations_left = 0;
    EXPECT_THROW(counting_resource::scope(resource, "inner"), support::upstream_failure);
    upstream.allocations_left = support::ledger_resource::unlimited;
    resource.deallocate(resource.allocate(24), 24);
    EXPECT_EQ(held_by(resource, "outer").peak_bytes, 24U);
}

TEST(counting_resource, names_cost_nothing_where_it_does_not_count_by_scope) {
    support::ledger_resource upstream;
    counting_resource resource(&upstream);
    const counting_resource::scope parsing(resource, "parsing");
    resource.deallocate(resource.allocate(24), 24);
    EXPECT_EQ(upstream.allocations, 1);
    EXPECT_EQ(upstream.largest_request, 24U);
    resource.held([](const freehold::held_memory&) { FAIL(); });
}
