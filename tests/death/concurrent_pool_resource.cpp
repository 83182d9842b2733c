#include <freehold/core/annotate.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>

#include <cstddef>

#include "support/filled_block.hpp"
#include "support/precondition.hpp"

using freehold::concurrent_pool_resource;

TEST(concurrent_pool_resource_death, there_is_an_upstream) {
    std::pmr::memory_resource* const none = nullptr;
    EXPECT_PRECONDITION(concurrent_pool_resource{none}, "upstream != nullptr");
}

TEST(concurrent_pool_resource_death, an_alignment_is_a_power_of_two) {
    concurrent_pool_resource resource;
    EXPECT_PRECONDITION(static_cast<void>(resource.allocate(8, 3)), "std::has_single_bit");
    EXPECT_PRECONDITION(static_cast<void>(resource.allocate(8, 0)), "std::has_single_bit");
}

TEST(concurrent_pool_resource_death, a_block_is_freed_with_the_size_it_was_allocated_with) {
    concurrent_pool_resource resource;
    void* const block = resource.allocate(64);
    EXPECT_PRECONDITION(resource.deallocate(block, 80), "origin->block_class == block_class");
    EXPECT_PRECONDITION(resource.deallocate(nullptr, 64), "block != nullptr");
    resource.deallocate(block, 64);
}

#ifdef FREEHOLD_ADDRESS_SANITIZER

TEST(concurrent_pool_resource_death, the_sanitizer_reports_a_use_of_a_freed_block) {
    concurrent_pool_resource resource;
    for (const std::size_t bytes : support::sizes{16, 64, 1000, 20'000}) {
        auto* const block = static_cast<volatile char*>(resource.allocate(bytes));
        block[0] = 1;
        resource.deallocate(const_cast<char*>(block), bytes);
        EXPECT_DEATH(block[0] = 2, "use-after") << bytes;
        EXPECT_DEATH(block[bytes - 1] = 2, "use-after") << bytes;
    }
}

TEST(concurrent_pool_resource_death, the_sanitizer_reports_a_use_beyond_the_bytes_asked_for) {
    concurrent_pool_resource resource;
    auto* const block = static_cast<volatile char*>(resource.allocate(56));
    EXPECT_DEATH(block[56] = 2, "use-after-poison");
    resource.deallocate(const_cast<char*>(block), 56);
}

#endif
