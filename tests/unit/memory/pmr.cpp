#include <gtest/gtest.h>
#include <freehold/memory/pmr.hpp>

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/core/alignment.hpp>

#include "support/ledger_resource.hpp"

namespace pmr = freehold::pmr;

// The rest of std::pmr, by the other name.
static_assert(std::is_same_v<pmr::memory_resource, std::pmr::memory_resource>);
static_assert(std::is_same_v<pmr::pool_options, std::pmr::pool_options>);
static_assert(std::is_same_v<pmr::polymorphic_allocator<int>, std::pmr::polymorphic_allocator<int>>);
static_assert(std::is_same_v<pmr::basic_string<char>, std::pmr::string>);
static_assert(std::is_same_v<pmr::string, std::pmr::string>);
static_assert(std::is_same_v<pmr::wstring, std::pmr::wstring>);
static_assert(std::is_same_v<pmr::u8string, std::pmr::u8string>);
static_assert(std::is_same_v<pmr::u16string, std::pmr::u16string>);
static_assert(std::is_same_v<pmr::u32string, std::pmr::u32string>);
static_assert(std::is_same_v<pmr::vector<int>, std::pmr::vector<int>>);
static_assert(std::is_same_v<pmr::deque<int>, std::pmr::deque<int>>);
static_assert(std::is_same_v<pmr::list<int>, std::pmr::list<int>>);
static_assert(std::is_same_v<pmr::forward_list<int>, std::pmr::forward_list<int>>);
static_assert(std::is_same_v<pmr::set<int>, std::pmr::set<int>>);
static_assert(std::is_same_v<pmr::multiset<int>, std::pmr::multiset<int>>);
static_assert(std::is_same_v<pmr::map<int, int>, std::pmr::map<int, int>>);
static_assert(std::is_same_v<pmr::multimap<int, int>, std::pmr::multimap<int, int>>);
static_assert(std::is_same_v<pmr::unordered_set<int>, std::pmr::unordered_set<int>>);
static_assert(std::is_same_v<pmr::unordered_multiset<int>, std::pmr::unordered_multiset<int>>);
static_assert(std::is_same_v<pmr::unordered_map<int, int>, std::pmr::unordered_map<int, int>>);
static_assert(std::is_same_v<pmr::unordered_multimap<int, int>, std::pmr::unordered_multimap<int, int>>);

// As in a program that has `using namespace freehold::pmr`.
namespace unqualified {
using namespace freehold::pmr;
static_assert(std::is_same_v<synchronized_pool_resource, freehold::pmr::synchronized_pool_resource>);
}  // namespace unqualified

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

TEST(pmr, without_a_set_default_the_upstream_is_the_standard_one) {
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

TEST(pmr, each_takes_the_standard_default_if_none_was_set) {
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

TEST(pmr, options_returns_the_values_in_effect) {
    const pmr::unsynchronized_pool_resource pool(std::pmr::pool_options{7, 100});
    EXPECT_EQ(pool.options().max_blocks_per_chunk, 7U);
    EXPECT_EQ(pool.options().largest_required_pool_block, freehold::detail::round_up(100, sizeof(void*)));
    EXPECT_EQ(pmr::synchronized_pool_resource({7, 100}).options().max_blocks_per_chunk, 7U);
    EXPECT_EQ(pmr::synchronized_pool_resource({0, 100}).options().largest_required_pool_block, 112U);
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

TEST(pmr, a_program_changes_one_namespace) {
    pmr::unsynchronized_pool_resource pool(pmr::new_delete_resource());
    pmr::memory_resource* const before = pmr::set_default_resource(&pool);
    const pmr::vector<pmr::string> words{"one", "two"};
    EXPECT_EQ(words.get_allocator().resource(), pmr::get_default_resource());
    pmr::set_default_resource(before);
    EXPECT_FALSE(pool.is_equal(*pmr::null_memory_resource()));
}

// [mem.res.monotonic.buffer.mem]: the upstream is asked for the alignment requested or more.
TEST(pmr, a_monotonic_buffer_is_aligned_by_the_upstream) {
    support::ledger_resource upstream;
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        pmr::monotonic_buffer_resource buffer(10'000, &upstream);
        void* const block = buffer.allocate(100, alignment);
        EXPECT_EQ(upstream.allocations, 1);
        EXPECT_GE(upstream.last_request.alignment, alignment);
        EXPECT_TRUE(upstream.live.contains(block)) << "padding before the first block";
        upstream.allocations = 0;
    }
}

// [mem.res.monotonic.buffer.general]: each additional buffer is larger than the one before.
TEST(pmr, monotonic_buffers_never_stop_growing) {
    support::ledger_resource upstream;
    pmr::monotonic_buffer_resource buffer(&upstream);
    std::size_t before = 0;
    while (upstream.bytes_live < std::size_t{64} * 1024 * 1024) {
        const int known = upstream.allocations;
        static_cast<void>(buffer.allocate(400, 8));
        if (upstream.allocations == known) continue;
        EXPECT_GT(upstream.last_request.bytes, before);
        before = upstream.last_request.bytes;
    }
}

TEST(pmr, a_large_request_has_a_buffer_that_serves_what_follows) {
    support::ledger_resource upstream;
    pmr::monotonic_buffer_resource buffer(1000, &upstream);
    static_cast<void>(buffer.allocate(1));
    static_cast<void>(buffer.allocate(100'000));
    EXPECT_GE(upstream.last_request.bytes, 100'000U);
    static_cast<void>(buffer.allocate(1000));
    EXPECT_GT(upstream.last_request.bytes, 200'000U) << "the next buffer is not larger";
    EXPECT_EQ(upstream.allocations, 3);
}

// [mem.res.monotonic.buffer.ctor]
TEST(pmr, the_first_monotonic_buffer_has_the_initial_size_or_exceeds_the_given_buffer) {
    support::ledger_resource upstream;
    pmr::monotonic_buffer_resource sized(5000, &upstream);
    static_cast<void>(sized.allocate(1));
    EXPECT_GE(upstream.last_request.bytes, 5000U);
    alignas(16) std::byte memory[3000];
    pmr::monotonic_buffer_resource buffered(memory, sizeof memory, &upstream);
    EXPECT_EQ(buffered.allocate(sizeof memory), static_cast<void*>(memory));
    static_cast<void>(buffered.allocate(1));
    EXPECT_GT(upstream.last_request.bytes, sizeof memory);
}

// [LWG 3120]
TEST(pmr, a_released_monotonic_resource_begins_again) {
    support::ledger_resource upstream;
    alignas(16) std::byte memory[100];
    pmr::monotonic_buffer_resource buffer(memory, sizeof memory, &upstream);
    static_cast<void>(buffer.allocate(1000));
    const std::size_t first = upstream.last_request.bytes;
    static_cast<void>(buffer.allocate(10'000));
    buffer.release();
    EXPECT_EQ(upstream.bytes_live, 0U);
    EXPECT_EQ(buffer.allocate(1), static_cast<void*>(memory));
    static_cast<void>(buffer.allocate(1000));
    EXPECT_EQ(upstream.last_request.bytes, first);
}

TEST(pmr, a_failed_request_for_a_monotonic_buffer_changes_nothing) {
    support::ledger_resource upstream;
    pmr::monotonic_buffer_resource buffer(100, &upstream);
    static_cast<void>(buffer.allocate(10));
    upstream.allocations_left = 0;
    EXPECT_THROW(static_cast<void>(buffer.allocate(1000)), support::upstream_failure);
    EXPECT_THROW(static_cast<void>(buffer.allocate(std::numeric_limits<std::size_t>::max() - 7)), std::bad_alloc);
    EXPECT_NE(buffer.allocate(10), nullptr);
    EXPECT_EQ(upstream.allocations, 1);
}

// [mem.res.pool.options]: the number is a maximum.
template <class Pool>
void expect_no_more_blocks_than_asked_for() {
    for (const std::size_t most : {1U, 5U, 100U, 4095U, 4096U, 10'000U}) {
        support::ledger_resource upstream;
        Pool pool(pmr::pool_options{most, 256}, &upstream);
        EXPECT_LE(pool.options().max_blocks_per_chunk, most);
        static_cast<void>(pool.allocate(64));  // the synchronized pool needs a heap as well
        int known = upstream.allocations;
        std::size_t blocks = 1;
        for (int i = 0; i < 5000; ++i) {
            static_cast<void>(pool.allocate(64));
            if (std::exchange(known, upstream.allocations) != upstream.allocations) blocks = 0;
            ASSERT_LE(++blocks, most) << "from one request to the upstream";
        }
    }
}

TEST(pmr, a_chunk_has_no_more_blocks_than_the_options_allow) {
    expect_no_more_blocks_than_asked_for<pmr::unsynchronized_pool_resource>();
    expect_no_more_blocks_than_asked_for<pmr::synchronized_pool_resource>();
}

TEST(pmr, threads_share_a_pool_of_small_chunks) {
    support::ledger_resource upstream;
    pmr::synchronized_pool_resource pool(pmr::pool_options{5, 256}, &upstream);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&pool] {
            pmr::vector<pmr::string> words(&pool);
            for (int j = 0; j < 1000; ++j) words.emplace_back("too long to be held in the string itself");
        });
    }
    for (std::thread& thread : threads) thread.join();
    pool.release();
    EXPECT_EQ(upstream.bytes_live, 0U);
}
