#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/counting/reference_count.hpp>

#include <initializer_list>
#include <type_traits>

#include "support/repeated_counting.hpp"
#include "support/thread_state.hpp"

using freehold::atomic_counting;
using freehold::plain_counting;
using freehold::reference_count;

static_assert(sizeof(reference_count<atomic_counting>) == 8);
static_assert(!std::is_copy_constructible_v<reference_count<plain_counting>>);
static_assert(!std::is_copy_assignable_v<reference_count<plain_counting>>);

namespace {

// Returns: whether the release was said to be the last, which must be said once.
template <class Counting>
bool release(reference_count<Counting>& count) {
    int calls = 0;
    count.release([&]() noexcept { ++calls; });
    EXPECT_LE(calls, 1);
    return calls > 0;
}

template <class Counting>
void expect_only_the_last_release_to_say_so() {
    reference_count<Counting> count;
    for (int i = 1; i <= 3; ++i) {
        count.acquire();
        EXPECT_EQ(count.value(), i);
    }
    EXPECT_FALSE(release(count));
    EXPECT_FALSE(release(count));
    EXPECT_EQ(count.value(), 1);
    EXPECT_TRUE(release(count));
    count.expire();
    EXPECT_EQ(count.value(), 0);
}

template <class Counting>
void expect_an_ending_object_not_to_end_again() {
    reference_count<Counting> count;
    count.acquire();
    ASSERT_TRUE(release(count));
    count.expire();
    for (int round = 0; round < 3; ++round) {
        count.acquire();
        count.acquire();
        EXPECT_EQ(count.value(), 0);
        EXPECT_FALSE(release(count));
        EXPECT_FALSE(release(count));
    }
}

}  // namespace

TEST(reference_count, it_begins_without_an_owner) {
    constexpr reference_count<plain_counting> count;
    EXPECT_EQ(count.value(), 0);
}

TEST(reference_count, only_the_last_release_says_so) {
    expect_only_the_last_release_to_say_so<plain_counting>();
    expect_only_the_last_release_to_say_so<atomic_counting>();
}

TEST(reference_count, only_the_last_release_says_so_with_threads) {
    support::start_first_thread();
    expect_only_the_last_release_to_say_so<atomic_counting>();
}

TEST(reference_count, it_does_not_overflow_where_32_bits_would) {
    if (sizeof(long) == 4) GTEST_SKIP() << "the number of owners is a long, which has 32 bits";
    constexpr freehold::count_word times_more = freehold::count_word{1} << 33;
    reference_count<support::repeated_counting<plain_counting>> count;
    count.acquire();
    {
        const support::repeat times(times_more);
        count.acquire();
        EXPECT_FALSE(release(count));
        count.acquire();
    }
    EXPECT_FALSE(release(count));
    EXPECT_EQ(count.value(), times_more);
}

TEST(reference_count, a_destructor_that_acquires_and_releases_its_object_does_not_destroy_it_again) {
    expect_an_ending_object_not_to_end_again<plain_counting>();
    expect_an_ending_object_not_to_end_again<atomic_counting>();
    support::start_first_thread();
    expect_an_ending_object_not_to_end_again<atomic_counting>();
}

TEST(reference_count, a_note_is_given_back_as_it_was_kept) {
    reference_count<plain_counting> count;
    count.acquire();
    ASSERT_TRUE(release(count));
    for (const freehold::count_word note : std::initializer_list<freehold::count_word>{0, 1, 0x7fff'ffff'fff8}) {
        count.stash(note);
        EXPECT_EQ(count.unstash(), note);
    }
}
