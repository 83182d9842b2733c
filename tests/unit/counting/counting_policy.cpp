#include <gtest/gtest.h>
#include <freehold/counting/counting_policy.hpp>

#include <limits>

#include <freehold/counting/plain_counting.hpp>

using freehold::count_word;

namespace {

constexpr count_word least = std::numeric_limits<count_word>::min();
constexpr count_word greatest = std::numeric_limits<count_word>::max();

struct without_store : freehold::plain_counting {
    static void store(count_word&, count_word) noexcept = delete;
};

struct may_throw : freehold::plain_counting {
    template <class Rare>
    static void increase(count_word&, count_word, Rare) {}
};

struct returns_the_test : freehold::plain_counting {
    static bool decrease(count_word& word, count_word n) noexcept { return (word -= n) < 0; }
};

struct tells_the_value : freehold::plain_counting {
    static count_word decrease_to(count_word& word, count_word n, count_word) noexcept { return word -= n; }
};

}  // namespace

static_assert(freehold::counting_policy<freehold::plain_counting>);
static_assert(!freehold::counting_policy<without_store>, "every operation must be there");
static_assert(!freehold::counting_policy<may_throw>, "no operation may throw");
static_assert(!freehold::counting_policy<returns_the_test>, "the rare case is a call, not a result");
static_assert(!freehold::counting_policy<tells_the_value>, "the result is a test, not a value");
static_assert(!freehold::counting_policy<int>);

TEST(counting_policy, arithmetic_wraps_at_both_ends) {
    EXPECT_EQ(freehold::detail::wrapping_add(greatest, 1), least);
    EXPECT_EQ(freehold::detail::wrapping_subtract(least, 1), greatest);
    EXPECT_EQ(freehold::detail::wrapping_add(least, least), 0);
}

TEST(counting_policy, arithmetic_is_ordinary_elsewhere) {
    EXPECT_EQ(freehold::detail::wrapping_add(-3, 5), 2);
    EXPECT_EQ(freehold::detail::wrapping_subtract(3, 5), -2);
}
