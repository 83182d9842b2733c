// What the memory resources require, and what AddressSanitizer sees in them.

#include <freehold/core/annotate.hpp>
#include <freehold/memory/concurrent_monotonic_resource.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/page_cache.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/region_resource.hpp>
#include <freehold/memory/resource_allocator.hpp>
#include <freehold/memory/run_length_resource.hpp>
#include <freehold/memory/stack_resource.hpp>

#include <cstddef>
#include <cstring>
#include <memory_resource>

#include "support/filled_block.hpp"
#include "support/precondition.hpp"

using freehold::concurrent_monotonic_resource;
using freehold::concurrent_pool_resource;
using freehold::monotonic_resource;
using freehold::pool_resource;
using freehold::region_resource;
using freehold::run_length_resource;
using freehold::stack_resource;

TEST(memory_resource_death, there_is_an_upstream) {
    std::pmr::memory_resource* const none = nullptr;
    EXPECT_PRECONDITION(monotonic_resource{none}, "upstream != nullptr");
    EXPECT_PRECONDITION(concurrent_monotonic_resource{none}, "upstream != nullptr");
    EXPECT_PRECONDITION(pool_resource{none}, "upstream != nullptr");
    EXPECT_PRECONDITION(region_resource{none}, "upstream != nullptr");
    EXPECT_PRECONDITION(run_length_resource{none}, "upstream != nullptr");
    EXPECT_PRECONDITION(stack_resource{none}, "upstream != nullptr");
    EXPECT_PRECONDITION(freehold::resource_allocator<int>(none), "resource != nullptr");
}

TEST(memory_resource_death, an_alignment_is_a_power_of_two) {
    pool_resource resource;
    EXPECT_PRECONDITION(resource.allocate(8, 24), "std::has_single_bit\\(alignment\\)");
    concurrent_monotonic_resource arena;
    EXPECT_PRECONDITION(arena.allocate(8, 24), "std::has_single_bit\\(alignment\\)");
}

TEST(memory_resource_death, chunks_grow) {
    EXPECT_PRECONDITION(monotonic_resource({.first_chunk = 0}), "growth.first_chunk > 0");
    EXPECT_PRECONDITION(monotonic_resource({.factor = 0}), "growth.factor > 0");
    EXPECT_PRECONDITION(concurrent_monotonic_resource({.first_chunk = 0}), "growth.first_chunk > 0");
    EXPECT_PRECONDITION(concurrent_monotonic_resource({.factor = 0}), "growth.factor > 0");
}

TEST(memory_resource_death, what_was_unwound_is_not_unwound_again) {
    monotonic_resource resource(100);
    const auto early = resource.mark();
    static_cast<void>(resource.allocate(100));
    static_cast<void>(resource.allocate(100));
    const auto late = resource.mark();
    resource.unwind(early);
    EXPECT_PRECONDITION(resource.unwind(late), "chunks_.newest\\(\\) != nullptr");
}

TEST(memory_resource_death, a_stack_frees_the_last_block_first) {
    stack_resource resource;
    void* const first = resource.allocate(24);
    void* const second = resource.allocate(24);
    EXPECT_PRECONDITION(resource.deallocate(first, 24), "begin \\+ rounded\\(bytes\\) == cursor_");
    resource.deallocate(second, 24);
    EXPECT_PRECONDITION(resource.deallocate(second, 24), "begin \\+ rounded\\(bytes\\) == cursor_");
    EXPECT_PRECONDITION(resource.deallocate(first, 48), "begin \\+ rounded\\(bytes\\) == cursor_");
    resource.deallocate(first, 24);
}

TEST(memory_resource_death, a_large_block_is_freed_with_its_size) {
    pool_resource resource;
    void* const block = resource.allocate(100'000);
    std::memset(block, 0, 100'000);
    EXPECT_PRECONDITION(resource.deallocate(block, 99'000), "removed != nullptr && removed->bytes == bytes");
    resource.deallocate(block, 100'000);
#ifdef FREEHOLD_ADDRESS_SANITIZER
    EXPECT_DEATH(resource.deallocate(block, 100'000), "use-after-poison");
#else
    EXPECT_PRECONDITION(resource.deallocate(block, 100'000), "removed != nullptr");
#endif
}

#ifdef FREEHOLD_ADDRESS_SANITIZER

namespace {

// Effects: frees a block of the resource and then writes to it.
void use_after_free(auto& resource, std::size_t bytes, std::size_t place) {
    auto* const block = static_cast<volatile char*>(resource.allocate(bytes, 8));
    block[place] = 1;
    resource.deallocate(const_cast<char*>(block), bytes, 8);
    block[place] = 2;
}

void use_beyond_the_end(auto& resource, std::size_t bytes) {
    auto* const block = static_cast<volatile char*>(resource.allocate(bytes, 8));
    block[bytes] = 1;
}

}  // namespace

TEST(memory_resource_death, the_sanitizer_reports_a_use_of_a_freed_block) {
    pool_resource pool;
    monotonic_resource monotonic;
    region_resource region;
    run_length_resource runs;
    stack_resource stack;
    for (const std::size_t bytes : support::sizes{8, 64, 1000}) {
        for (const std::size_t place : support::sizes{0, bytes - 1}) {
            EXPECT_DEATH(use_after_free(pool, bytes, place), "use-after-poison");
            EXPECT_DEATH(use_after_free(monotonic, bytes, place), "use-after-poison");
            EXPECT_DEATH(use_after_free(region, bytes, place), "use-after-poison");
            EXPECT_DEATH(use_after_free(runs, bytes, place), "use-after-poison");
            EXPECT_DEATH(use_after_free(stack, bytes, place), "use-after-poison");
        }
    }
}

TEST(memory_resource_death, the_sanitizer_reports_a_use_beyond_the_bytes_asked_for) {
    pool_resource pool;
    monotonic_resource monotonic;
    region_resource region;
    run_length_resource runs;
    stack_resource stack;
    for (const std::size_t bytes : support::sizes{20, 60, 900}) {
        EXPECT_DEATH(use_beyond_the_end(pool, bytes), "use-after-poison");
        EXPECT_DEATH(use_beyond_the_end(monotonic, bytes), "use-after-poison");
        EXPECT_DEATH(use_beyond_the_end(region, bytes), "use-after-poison");
        EXPECT_DEATH(use_beyond_the_end(runs, bytes), "use-after-poison");
        EXPECT_DEATH(use_beyond_the_end(stack, bytes), "use-after-poison");
    }
}

// Powers of two fill their pages; a gap is there all the same.
TEST(memory_resource_death, the_sanitizer_reports_the_first_byte_behind_a_large_block) {
    freehold::page_cache pages;
    concurrent_pool_resource concurrent;
    monotonic_resource monotonic(1024);
    pool_resource pool;
    region_resource region;
    run_length_resource runs;
    stack_resource stack;
    for (const std::size_t bytes : support::sizes{1024, 65'536, 100'000, 1 << 20, 4 << 20}) {
        EXPECT_DEATH(use_beyond_the_end(concurrent, bytes), "use-after-poison") << bytes;
        EXPECT_DEATH(use_beyond_the_end(monotonic, bytes), "use-after-poison") << bytes;
        EXPECT_DEATH(use_beyond_the_end(pool, bytes), "use-after-poison") << bytes;
        EXPECT_DEATH(use_beyond_the_end(region, bytes), "use-after-poison") << bytes;
        EXPECT_DEATH(use_beyond_the_end(runs, bytes), "use-after-poison") << bytes;
        EXPECT_DEATH(use_beyond_the_end(stack, bytes), "use-after-poison") << bytes;
        EXPECT_DEATH(use_beyond_the_end(pages, bytes), "use-after-poison|heap-buffer-overflow") << bytes;
    }
}

TEST(memory_resource_death, the_sanitizer_reports_a_use_of_what_was_unwound) {
    monotonic_resource resource;
    volatile char* block = nullptr;
    {
        const monotonic_resource::scope scope(resource);
        block = static_cast<volatile char*>(resource.allocate(64));
    }
    EXPECT_DEATH(block[0] = 1, "use-after-poison");
}

#endif
