// What every policy must do is tested in contracts/counting_policy.cpp.

#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>

#include <thread>
#include <vector>

using freehold::atomic_counting;
using freehold::count_word;

static_assert(atomic_counting::concurrent);

namespace {

constexpr int threads = 4;
constexpr int rounds = 20000;

void ignore() noexcept {}

void in_threads(auto work) {
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back(work);
    for (std::thread& worker : workers) worker.join();
}

}  // namespace

TEST(atomic_counting, no_increase_or_decrease_is_lost_between_threads) {
    count_word word = 0;
    in_threads([&] {
        for (int i = 0; i < rounds; ++i) {
            atomic_counting::increase(word, 3, ignore);
            atomic_counting::decrease(word, 1, ignore);
            atomic_counting::decrease_to(word, 1, -1);
        }
    });
    EXPECT_EQ(atomic_counting::observe(word), threads * rounds);
}

TEST(atomic_counting, no_replacement_is_lost_between_threads) {
    count_word word = 0;
    in_threads([&] {
        for (int i = 0; i < rounds; ++i) {
            count_word seen = atomic_counting::observe(word);
            while (!atomic_counting::replace(word, seen, seen + 1)) {
            }
        }
    });
    EXPECT_EQ(atomic_counting::observe(word), threads * rounds);
}

TEST(atomic_counting, exactly_one_thread_reaches_the_end) {
    count_word word = threads;
    count_word reached = 0;
    in_threads([&] {
        if (atomic_counting::decrease_to(word, 1, 0)) atomic_counting::increase(reached, 1, ignore);
    });
    EXPECT_EQ(reached, 1);
}

TEST(atomic_counting, what_was_counted_before_the_first_thread_is_counted_on_by_threads) {
    count_word word = 0;
    atomic_counting::increase(word, 5, ignore);
    in_threads([&] { atomic_counting::increase(word, 1, ignore); });
    EXPECT_EQ(word, 5 + threads);
}
