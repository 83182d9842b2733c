#include <gtest/gtest.h>
#include <freehold/core/complete_type.hpp>

namespace {

class declared;
class defined {};

TEST(complete_type, a_declared_class_is_incomplete_until_it_is_defined) {
    EXPECT_FALSE(freehold::detail::is_complete<declared>);
    EXPECT_TRUE(freehold::detail::is_complete<defined>);
    EXPECT_FALSE(freehold::detail::is_complete<void>);
    EXPECT_FALSE(freehold::detail::is_complete<int[]>);
    EXPECT_TRUE(freehold::detail::is_complete<int[1]>);
}

}  // namespace
