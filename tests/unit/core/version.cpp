#include <gtest/gtest.h>
#include <freehold/core/version.hpp>

#include <sstream>
#include <string>

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

TEST(version, the_number_agrees_with_the_text) {
    const std::string text = std::to_string(FREEHOLD_VERSION_NUMBER / 10000) + '.' +
                             std::to_string(FREEHOLD_VERSION_NUMBER / 100 % 100) + '.' +
                             std::to_string(FREEHOLD_VERSION_NUMBER % 100);
    EXPECT_EQ(text, FREEHOLD_VERSION);
}

#if FREEHOLD_VERSION_NUMBER < 200
#error the preprocessor can compare the number
#endif
