#include <gtest/gtest.h>
#include <freehold/pointers/standard_names.hpp>

#include <memory>
#include <type_traits>

static_assert(std::is_same_v<freehold::unique_ptr<int[]>, std::unique_ptr<int[]>>);
static_assert(std::is_same_v<freehold::hash<int>, std::hash<int>>);
static_assert(std::is_same_v<freehold::atomic<int>, std::atomic<int>>);

TEST(standard_names, what_is_made_by_one_name_is_owned_by_the_other) {
    const std::unique_ptr<int> p = freehold::make_unique<int>(7);
    EXPECT_EQ(*p, 7);
}
