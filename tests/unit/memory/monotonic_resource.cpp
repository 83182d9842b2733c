// What only a monotonic_resource promises; what every resource does is in contracts/memory_resource/.

#include <gtest/gtest.h>
#include <freehold/memory/monotonic_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <vector>

#include <freehold/core/alignment.hpp>
#include <freehold/memory/null_resource.hpp>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"

using freehold::monotonic_growth;
using freehold::monotonic_resource;
using support::filled_block;

namespace {

bool contains(const std::byte* begin, std::size_t bytes, const void* place) {
    return place >= begin && place < begin + bytes;
}

}  // namespace

TEST(monotonic_resource, every_byte_of_the_buffer_is_used_and_none_beyond) {
    std::byte buffer[100];
    freehold::null_resource nothing;
    for (std::size_t offset = 0; offset < 16; ++offset) {
        std::fill(std::begin(buffer), std::end(buffer), std::byte{7});
        const std::size_t bytes = 64;
        {
            monotonic_resource resource(buffer + offset, bytes, &nothing);
            for (std::size_t i = 0; i < bytes; ++i) {
                auto* const block = static_cast<std::byte*>(resource.allocate(1, 1));
                EXPECT_TRUE(contains(buffer + offset, bytes, block));
                *block = std::byte{9};
            }
            EXPECT_THROW(static_cast<void>(resource.allocate(1, 1)), std::bad_alloc);
            EXPECT_THROW(static_cast<void>(resource.allocate(0, 1)), std::bad_alloc);
        }
        EXPECT_EQ(std::count(std::begin(buffer), std::end(buffer), std::byte{9}), 64);
        EXPECT_EQ(buffer[offset + bytes], std::byte{7});
    }
}

TEST(monotonic_resource, alignment_is_honored_in_a_buffer_at_an_odd_address) {
    alignas(64) std::byte buffer[1024];
    freehold::null_resource nothing;
    for (std::size_t offset = 0; offset < 64; ++offset) {
        monotonic_resource resource(buffer + offset, sizeof buffer - offset, &nothing);
        for (std::size_t alignment = 1; alignment <= 128; alignment *= 2) {
            const filled_block block(resource, 3, alignment, 1);
            EXPECT_TRUE(contains(buffer + offset, sizeof buffer - offset, block.begin()));
        }
    }
}

TEST(monotonic_resource, padding_in_the_buffer_is_not_charged_to_the_chunk_that_follows) {
    for (std::size_t bytes = 0; bytes <= 64; ++bytes) {
        alignas(64) std::byte buffer[64];
        support::ledger_resource upstream;
        monotonic_resource resource(buffer + 1, std::min<std::size_t>(bytes, 63), &upstream);
        const filled_block first(resource, 1, 1, 1);
        const filled_block second(resource, 1008, 64, 2);
        const filled_block third(resource, 900, 16, 3);
        EXPECT_TRUE(first.is_intact() && second.is_intact() && third.is_intact());
    }
}

TEST(monotonic_resource, blocks_follow_each_other) {
    support::ledger_resource upstream;
    monotonic_resource resource(&upstream);
    auto* const first = static_cast<std::byte*>(resource.allocate(24, 8));
    EXPECT_EQ(resource.allocate(8, 8), first + 24);
    EXPECT_EQ(resource.allocate(1, 1), first + 32);
    EXPECT_EQ(resource.allocate(1, 1), first + 33);
}

TEST(monotonic_resource, an_empty_buffer_is_like_none) {
    support::ledger_resource upstream;
    std::byte buffer[1];
    monotonic_resource resource(buffer, 0, &upstream);
    EXPECT_NE(resource.allocate(1, 1), buffer);
    EXPECT_EQ(upstream.allocations, 1);
}

TEST(monotonic_resource, the_first_chunk_has_the_requested_size) {
    support::ledger_resource upstream;
    monotonic_resource resource(5000, &upstream);
    for (int i = 0; i < 5000; ++i) static_cast<void>(resource.allocate(1, 1));
    EXPECT_EQ(upstream.allocations, 1);
    static_cast<void>(resource.allocate(1, 1));
    EXPECT_EQ(upstream.allocations, 2);
}

TEST(monotonic_resource, a_chunk_after_a_buffer_is_larger_than_it) {
    std::vector<std::byte> buffer(10'000);
    support::ledger_resource upstream;
    monotonic_resource resource(buffer.data(), buffer.size(), &upstream);
    static_cast<void>(resource.allocate(10'000, 1));
    EXPECT_EQ(upstream.allocations, 0);
    static_cast<void>(resource.allocate(1, 1));
    EXPECT_GE(upstream.last_request.bytes, 20'000U);
}

TEST(monotonic_resource, chunks_grow_by_the_factor_up_to_the_largest) {
    support::ledger_resource upstream;
    monotonic_resource resource({.first_chunk = 100, .factor = 3, .largest_chunk = 1000}, &upstream);
    std::vector<std::size_t> chunks;
    for (int i = 0; i < 4000; ++i) {
        const int before = upstream.allocations;
        static_cast<void>(resource.allocate(1, 1));
        if (upstream.allocations > before) chunks.push_back(upstream.last_request.bytes);
    }
    const std::size_t record = chunks.back() - 1000;
    const auto chunk = [record](std::size_t bytes) {
        return freehold::detail::round_up(bytes + record, sizeof(void*));
    };
    EXPECT_EQ(chunks, (std::vector{chunk(100), chunk(300), chunk(900), 1000 + record, 1000 + record, 1000 + record}));
}

TEST(monotonic_resource, growth_saturates) {
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 5;
    support::ledger_resource upstream;
    upstream.bytes_limit = std::size_t{1} << 20;
    monotonic_resource resource({.first_chunk = 64, .factor = huge, .largest_chunk = 2 * huge}, &upstream);
    static_cast<void>(resource.allocate(60, 1));
    for (int i = 0; i < 3; ++i) {
        EXPECT_THROW(static_cast<void>(resource.allocate(60, 1)), support::upstream_failure);
        EXPECT_GE(upstream.last_request.bytes, huge);
    }
    static_cast<void>(resource.allocate(4, 1));
}

TEST(monotonic_resource, a_large_request_has_a_chunk_of_its_own_and_the_current_one_stays) {
    support::ledger_resource upstream;
    monotonic_resource resource(1000, &upstream);
    auto* const first = static_cast<std::byte*>(resource.allocate(100, 1));
    static_cast<void>(resource.allocate(100'000, 1));
    EXPECT_EQ(upstream.allocations, 2);
    EXPECT_EQ(resource.allocate(100, 1), first + 100);
    EXPECT_EQ(upstream.allocations, 2);
}

TEST(monotonic_resource, a_chunk_has_room_for_the_padding_of_a_large_alignment) {
    support::ledger_resource upstream;
    monotonic_resource resource({.first_chunk = 1024, .factor = 1}, &upstream);
    for (std::size_t i = 1; i <= 20; ++i) {
        EXPECT_TRUE(filled_block(resource, 900, 256, 1).is_intact());
        EXPECT_LE(upstream.bytes_live, i * 1400);
    }
}

TEST(monotonic_resource, deallocate_gives_nothing_back) {
    support::ledger_resource upstream;
    monotonic_resource resource(&upstream);
    void* const block = resource.allocate(100);
    resource.deallocate(block, 100);
    EXPECT_NE(resource.allocate(100), block);
    EXPECT_EQ(upstream.deallocations, 0);
}

TEST(monotonic_resource, release_goes_back_to_the_buffer) {
    alignas(16) std::byte buffer[100];
    support::ledger_resource upstream;
    monotonic_resource resource(buffer, sizeof buffer, &upstream);
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(resource.allocate(100, 1), buffer);
        static_cast<void>(resource.allocate(100, 1));
        resource.release();
        EXPECT_EQ(upstream.bytes_live, 0U);
    }
}

TEST(monotonic_resource, after_release_chunks_grow_from_the_first_size_again) {
    support::ledger_resource upstream;
    monotonic_resource resource(100, &upstream);
    const auto chunks = [&] {
        const int before = upstream.allocations;
        for (int i = 0; i < 5000; ++i) static_cast<void>(resource.allocate(1, 1));
        return upstream.allocations - before;
    };
    const int first = chunks();
    resource.release();
    EXPECT_EQ(chunks(), first);
}

TEST(monotonic_resource, rewind_keeps_the_chunks_for_the_next_round) {
    support::ledger_resource upstream;
    monotonic_resource resource(100, &upstream);
    const auto fill = [&] {
        for (unsigned i = 0; i < 5000; ++i) static_cast<void>(filled_block(resource, 24, 8, i));
    };
    fill();
    const int allocations = upstream.allocations;
    for (int round = 0; round < 5; ++round) {
        resource.rewind();
        fill();
    }
    EXPECT_EQ(upstream.allocations, allocations);
    EXPECT_EQ(upstream.deallocations, 0);
}

TEST(monotonic_resource, rewind_gives_the_chunks_of_large_requests_back) {
    support::ledger_resource upstream;
    monotonic_resource resource(100, &upstream);
    static_cast<void>(resource.allocate(24));
    const std::size_t before = upstream.bytes_live;
    static_cast<void>(resource.allocate(100'000));
    resource.rewind();
    EXPECT_EQ(upstream.bytes_live, before);
}

TEST(monotonic_resource, kept_chunks_that_are_too_small_are_passed_over_and_kept) {
    support::ledger_resource upstream;
    monotonic_resource resource(64, &upstream);
    for (int i = 0; i < 100; ++i) static_cast<void>(resource.allocate(24));
    resource.rewind();
    const int allocations = upstream.allocations;
    const filled_block large(resource, 1000, 8, 1);
    const filled_block small(resource, 40, 8, 2);
    EXPECT_EQ(upstream.allocations, allocations);
    EXPECT_TRUE(large.is_intact() && small.is_intact());
}

TEST(monotonic_resource, unwind_forgets_what_came_after_the_marker) {
    support::ledger_resource upstream;
    monotonic_resource resource(100, &upstream);
    const filled_block before(resource, 24, 8, 1);
    const auto marker = resource.mark();
    void* const first = resource.allocate(24, 8);
    for (unsigned i = 0; i < 1000; ++i) static_cast<void>(filled_block(resource, i * 3, 8, i));
    resource.unwind(marker);
    EXPECT_TRUE(before.is_intact());
    EXPECT_EQ(resource.allocate(24, 8), first);
    EXPECT_TRUE(before.is_intact());
}

TEST(monotonic_resource, a_scope_unwinds_when_it_is_destroyed) {
    alignas(16) std::byte buffer[256];
    freehold::null_resource nothing;
    monotonic_resource resource(buffer, sizeof buffer, &nothing);
    const filled_block outer(resource, 64, 8, 1);
    for (int round = 0; round < 100; ++round) {
        const monotonic_resource::scope scope(resource);
        const filled_block inner(resource, 64, 8, 2);
        for (int nested = 0; nested < 100; ++nested) {
            const monotonic_resource::scope nested_scope(resource);
            static_cast<void>(filled_block(resource, 64, 8, 3));
        }
        EXPECT_TRUE(inner.is_intact());
    }
    EXPECT_TRUE(outer.is_intact());
}

TEST(monotonic_resource, a_container_may_be_destroyed_after_release) {
    support::ledger_resource upstream;
    monotonic_resource resource(&upstream);
    {
        const std::pmr::vector<int> numbers(100, &resource);
        resource.release();
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}
