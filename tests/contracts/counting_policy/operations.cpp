// The contract of the counting policies, which counting_policy.hpp states.

#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/plain_counting.hpp>

#include <limits>

#include "support/contract.hpp"
#include "support/thread_state.hpp"

namespace contracts {

using freehold::count_word;

struct plain : freehold::plain_counting {
    static constexpr const char* name = "plain_counting";
    static void begin() {}
};

struct atomic_before_threads : freehold::atomic_counting {
    static constexpr const char* name = "atomic_counting_before_threads";
    static void begin() {}
};

struct atomic_with_threads : freehold::atomic_counting {
    static constexpr const char* name = "atomic_counting_with_threads";
    static void begin() { support::start_first_thread(); }
};

template <class Policy>
class counting_policy : public testing::Test {
protected:
    void SetUp() override { Policy::begin(); }

    // What follows is true where rare() was called, which must be once, with the result in the word.

    static bool increase(count_word& word, count_word n) {
        const count_word result = freehold::detail::wrapping_add(word, n);
        int calls = 0;
        Policy::increase(word, n, [&]() noexcept {
            ++calls;
            EXPECT_EQ(word, result);
        });
        EXPECT_LE(calls, 1);
        return calls > 0;
    }

    static bool decrease(count_word& word, count_word n) {
        const count_word result = freehold::detail::wrapping_subtract(word, n);
        int calls = 0;
        Policy::decrease(word, n, [&]() noexcept {
            ++calls;
            EXPECT_EQ(word, result);
        });
        EXPECT_LE(calls, 1);
        return calls > 0;
    }
};

}  // namespace contracts

template <>
struct support::implementations<contracts::counting_policy> {
    using types = testing::Types<contracts::plain, contracts::atomic_before_threads, contracts::atomic_with_threads>;
};

namespace contracts {

CONTRACT(counting_policy, increase_adds_and_reports_a_negative_result) {
    count_word word = -3;
    EXPECT_TRUE(TestFixture::increase(word, 2));
    EXPECT_EQ(word, -1);
    EXPECT_FALSE(TestFixture::increase(word, 1));
    EXPECT_EQ(word, 0);
    EXPECT_FALSE(TestFixture::increase(word, 7));
    EXPECT_EQ(word, 7);
}

CONTRACT(counting_policy, increase_wraps_into_the_sign) {
    count_word word = std::numeric_limits<count_word>::max();
    EXPECT_TRUE(TestFixture::increase(word, 1));
    EXPECT_EQ(word, std::numeric_limits<count_word>::min());
}

CONTRACT(counting_policy, decrease_subtracts_and_reports_a_negative_result) {
    count_word word = 3;
    EXPECT_FALSE(TestFixture::decrease(word, 2));
    EXPECT_FALSE(TestFixture::decrease(word, 1));
    EXPECT_EQ(word, 0);
    EXPECT_TRUE(TestFixture::decrease(word, 5));
    EXPECT_EQ(word, -5);
}

CONTRACT(counting_policy, decrease_wraps_out_of_the_sign) {
    count_word word = std::numeric_limits<count_word>::min();
    EXPECT_FALSE(TestFixture::decrease(word, 1));
    EXPECT_EQ(word, std::numeric_limits<count_word>::max());
}

CONTRACT(counting_policy, decrease_to_subtracts_and_returns_whether_the_end_is_reached) {
    count_word word = 5;
    EXPECT_FALSE(TypeParam::decrease_to(word, 1, 3));
    EXPECT_TRUE(TypeParam::decrease_to(word, 1, 3));
    EXPECT_EQ(word, 3);
    EXPECT_FALSE(TypeParam::decrease_to(word, 1, 3));
    EXPECT_EQ(word, 2);
}

CONTRACT(counting_policy, fetch_add_adds_and_returns_the_value_before) {
    count_word word = std::numeric_limits<count_word>::max();
    EXPECT_EQ(TypeParam::fetch_add(word, word, 2), std::numeric_limits<count_word>::max());
    EXPECT_EQ(TypeParam::fetch_add(word, word, -2), std::numeric_limits<count_word>::min() + 1);
    EXPECT_EQ(word, std::numeric_limits<count_word>::max());
}

CONTRACT(counting_policy, replace_stores_where_the_word_is_as_seen) {
    count_word word = 5;
    count_word seen = 5;
    while (!TypeParam::replace(word, seen, 9)) ASSERT_EQ(seen, 5);
    EXPECT_EQ(word, 9);
}

CONTRACT(counting_policy, replace_returns_the_word_if_it_differs) {
    count_word word = 5;
    count_word seen = 4;
    EXPECT_FALSE(TypeParam::replace(word, seen, 9));
    EXPECT_EQ(word, 5);
    EXPECT_EQ(seen, 5);
}

CONTRACT(counting_policy, store_and_observe_agree) {
    count_word word = 0;
    TypeParam::store(word, -7);
    EXPECT_EQ(TypeParam::observe(word), -7);
}

}  // namespace contracts
