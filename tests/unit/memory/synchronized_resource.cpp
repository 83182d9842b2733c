#include <gtest/gtest.h>
#include <freehold/memory/synchronized_resource.hpp>

#include <cstddef>
#include <memory_resource>

#include "support/ledger_resource.hpp"

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
    class reentering_resource final : public std::pmr::memory_resource {
    public:
        synchronized_resource* above = nullptr;
        int served_within = 0;

    private:
        void* do_allocate(std::size_t bytes, std::size_t alignment) override {
            if (bytes > 24) {
                above->deallocate(above->allocate(24, alignment), 24, alignment);
                ++served_within;
            }
            return std::pmr::new_delete_resource()->allocate(bytes, alignment);
        }

        void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
            std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
        }

        [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
            return this == &other;
        }
    };
    reentering_resource upstream;
    synchronized_resource resource(&upstream);
    upstream.above = &resource;
    resource.deallocate(resource.allocate(100), 100);
    EXPECT_EQ(upstream.served_within, 1);
}
