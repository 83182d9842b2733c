#include <gtest/gtest.h>
#include <freehold/core/collected_generations.hpp>

#include <string>

using freehold::detail::collected_generations;

TEST(collected_generations, are_over_after_a_thousand) {
    collected_generations generations;
    generations.count = 999;
    EXPECT_FALSE(generations.are_over());
    ++generations.count;
    EXPECT_TRUE(generations.are_over());
}

TEST(collected_generations, are_reported_with_a_type) {
    testing::internal::CaptureStderr();
    collected_generations::report("widget");
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(told.find("freehold: a collection stops after 1000 generations of objects"), 0U) << told;
    EXPECT_NE(told.find("    type: widget\n"), std::string::npos) << told;
}
