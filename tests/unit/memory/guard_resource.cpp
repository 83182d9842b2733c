#include <gtest/gtest.h>
#include <freehold/memory/guard_resource.hpp>

#include <cstddef>
#include <list>
#include <memory_resource>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"

using freehold::guard_resource;

TEST(guard_resource, a_fresh_block_is_filled) {
    guard_resource resource;
    auto* const block = static_cast<unsigned char*>(resource.allocate(1000));
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(block[i], 0xCD);
    resource.deallocate(block, 1000);
}

TEST(guard_resource, every_byte_of_a_block_may_be_written) {
    guard_resource resource;
    for (const std::size_t bytes : support::sizes{0, 1, 7, 8, 24, 63, 64, 65, 5000}) {
        for (const std::size_t alignment : support::sizes{1, 8, 64, 4096}) {
            const support::filled_block block(resource, bytes, alignment, 1);
            resource.check();
            block.free(resource);
        }
    }
}

// Checked by the upstream when it gets the block back.
TEST(guard_resource, a_freed_block_is_filled) {
    class looking_resource final : public std::pmr::memory_resource {
    public:
        std::size_t freed_bytes = 0;

    private:
        void* do_allocate(std::size_t bytes, std::size_t alignment) override {
            return std::pmr::new_delete_resource()->allocate(bytes, alignment);
        }

        void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
            const auto* const begin = static_cast<const unsigned char*>(block);
            for (std::size_t i = 0; i < bytes; ++i) freed_bytes += begin[i] == 0xDD;
            std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
        }

        [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
            return this == &other;
        }
    };
    looking_resource upstream;
    guard_resource resource(&upstream);
    support::filled_block(resource, 5000, 8, 1).free(resource);
    EXPECT_GE(upstream.freed_bytes, 5000U);
}

TEST(guard_resource, both_requests_of_an_allocation_may_fail_and_nothing_is_kept) {
    for (const int allowed : {0, 1}) {
        support::ledger_resource upstream;
        guard_resource resource(&upstream);
        upstream.allocations_left = allowed;
        EXPECT_THROW(static_cast<void>(resource.allocate(24)), support::upstream_failure);
        EXPECT_EQ(upstream.bytes_live, 0U);
        upstream.allocations_left = support::ledger_resource::unlimited;
        support::filled_block(resource, 24, 8, 1).free(resource);
    }
}

TEST(guard_resource, a_container_that_writes_only_its_own_blocks_passes) {
    guard_resource resource;
    std::pmr::list<int> list({1, 2, 3}, &resource);
    resource.check();
    list.remove(2);
    resource.check();
    EXPECT_EQ(list.size(), 2U);
}

TEST(guard_resource, blocks_not_freed_stay_allocated_in_the_upstream) {
    support::ledger_resource upstream;
    void* block = nullptr;
    {
        guard_resource resource(&upstream);
        block = resource.allocate(24, 8);
    }
    ASSERT_EQ(upstream.live.size(), 1U);
    const auto [begin, request] = *upstream.live.begin();
    EXPECT_GT(block, begin);
    std::pmr::memory_resource& any = upstream;
    any.deallocate(const_cast<void*>(begin), request.bytes, request.alignment);
}
