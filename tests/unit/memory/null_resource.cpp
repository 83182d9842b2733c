#include <gtest/gtest.h>
#include <freehold/memory/null_resource.hpp>

#include <memory_resource>
#include <new>

using freehold::null_resource;

TEST(null_resource, allocate_always_throws) {
    null_resource resource;
    std::pmr::memory_resource& any = resource;
    EXPECT_THROW(static_cast<void>(resource.allocate(1)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(resource.allocate(0, 1)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(any.allocate(1)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(any.allocate(0, 64)), std::bad_alloc);
    EXPECT_EQ(null_resource::try_allocate(1), nullptr);
}

TEST(null_resource, deallocate_does_nothing) {
    null_resource resource;
    std::pmr::memory_resource& any = resource;
    char block = 1;
    resource.deallocate(&block, 1);
    any.deallocate(&block, 1);
    EXPECT_EQ(block, 1);
}

TEST(null_resource, it_is_equal_to_itself_only) {
    const null_resource resource;
    const null_resource other;
    EXPECT_TRUE(resource == resource);
    EXPECT_FALSE(resource == other);
}
