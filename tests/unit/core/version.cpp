#include <gtest/gtest.h>
#include <freehold/core/version.hpp>

#include <sstream>

TEST(version, it_is_major_minor_and_patch) {
    std::istringstream text(FREEHOLD_VERSION);
    unsigned major = 0;
    unsigned minor = 0;
    unsigned patch = 0;
    char first_dot = 0;
    char second_dot = 0;
    text >> major >> first_dot >> minor >> second_dot >> patch;
    EXPECT_TRUE(text && text.peek() == std::istringstream::traits_type::eof()) << FREEHOLD_VERSION;
    EXPECT_EQ(first_dot, '.');
    EXPECT_EQ(second_dot, '.');
}
