#include <gtest/gtest.h>
#include <freehold/memory/new_delete_resource.hpp>

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

#include <freehold/core/annotate.hpp>

#include "support/thread_sanitizer.hpp"

using freehold::new_delete_resource;

namespace {

// Not a constant: compilers warn of one that no block can have.
const volatile std::size_t largest = std::numeric_limits<std::size_t>::max();

}  // namespace

TEST(new_delete_resource, all_instances_are_equal) {
#ifndef __cpp_rtti
    GTEST_SKIP() << "without run-time type information only identity is compared";
#endif
    new_delete_resource a;
    new_delete_resource b;
    EXPECT_TRUE(a == b);
    EXPECT_FALSE(a == *std::pmr::null_memory_resource());
    b.deallocate(a.allocate(24), 24);
}

TEST(new_delete_resource, its_blocks_are_those_of_operator_new) {
    new_delete_resource resource;
    ::operator delete(resource.allocate(24));
    resource.deallocate(::operator new(24), 24);
    ::operator delete(resource.allocate(24, 64), std::align_val_t{64});
    resource.deallocate(::operator new(24, std::align_val_t{64}), 24, 64);
}

TEST(new_delete_resource, a_size_that_wraps_when_it_is_rounded_up_is_refused) {
    new_delete_resource resource;
    for (std::size_t alignment = 2 * __STDCPP_DEFAULT_NEW_ALIGNMENT__; alignment <= 4096; alignment *= 2) {
        for (std::size_t less = 0; less < alignment; ++less) {
            const std::size_t bytes = largest - less;
            EXPECT_THROW(static_cast<void>(resource.allocate(bytes, alignment)), std::bad_alloc) << less;
            EXPECT_EQ(resource.try_allocate(bytes, alignment), nullptr) << less;
        }
    }
}

TEST(new_delete_resource, a_failed_allocation_throws_or_returns_null) {
#if defined(FREEHOLD_ADDRESS_SANITIZER) || defined(THREAD_SANITIZER)
    GTEST_SKIP() << "the sanitizer aborts the program";
#endif
    new_delete_resource resource;
    for (std::size_t less = 0; less < 1000; ++less) {
        const std::size_t bytes = largest - less;
        EXPECT_THROW(static_cast<void>(resource.allocate(bytes)), std::bad_alloc) << less;
        EXPECT_EQ(resource.try_allocate(bytes), nullptr) << less;
    }
}
