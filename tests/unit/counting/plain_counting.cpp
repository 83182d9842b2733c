// What every policy must do is tested in contracts/counting_policy.cpp.

#include <gtest/gtest.h>
#include <freehold/counting/plain_counting.hpp>

using freehold::count_word;
using freehold::plain_counting;

static_assert(!plain_counting::concurrent);

TEST(plain_counting, replace_never_fails_for_no_reason) {
    count_word word = 0;
    for (count_word value = 0; value < 1000; ++value) {
        count_word seen = value;
        ASSERT_TRUE(plain_counting::replace(word, seen, value + 1));
    }
    EXPECT_EQ(word, 1000);
}
