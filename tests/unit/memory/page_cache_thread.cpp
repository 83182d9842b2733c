#include <gtest/gtest.h>
#include <freehold/memory/page_cache_thread.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

#include "support/child.hpp"
#include "support/emulation.hpp"
#include "support/filled_block.hpp"
#include "support/thread_sanitizer.hpp"
#include "support/threads.hpp"

using freehold::page_cache;
using freehold::page_cache_thread;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

void free_pages(page_cache& cache, std::size_t bytes) { cache.deallocate(cache.allocate(bytes), bytes); }

// Returns: whether nothing is idle any more, as soon as that is so.
bool becomes_empty(const page_cache& cache) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (cache.idle_bytes() != 0 && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return cache.idle_bytes() == 0;
}

}  // namespace

TEST(page_cache_thread, idle_pages_go_back_without_a_call) {
    page_cache cache;  // whose own decay is a second
    const page_cache_thread thread(cache, std::chrono::milliseconds(5));
    EXPECT_TRUE(thread.is_running());
    for (int round = 0; round < 3; ++round) {
        free_pages(cache, 8 * mebibyte);
        EXPECT_TRUE(becomes_empty(cache));
    }
}

TEST(page_cache_thread, threads_use_the_cache_meanwhile) {
    page_cache cache;
    {
        const page_cache_thread thread(cache, std::chrono::microseconds(200));
        support::in_threads(3, [&](int i) {
            for (unsigned round = 0; round < 100; ++round) {
                const std::size_t bytes = std::size_t{50'000} << (round + static_cast<unsigned>(i)) % 5;
                support::filled_block(cache, bytes, 8, round).free(cache);
            }
        });
    }
    EXPECT_EQ(cache.statistics().in_use, 0U);
}

TEST(page_cache_thread, without_one_they_stay) {
    page_cache cache;
    {
        const page_cache_thread thread(cache, std::chrono::milliseconds(1));
    }
    free_pages(cache, mebibyte);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_GE(cache.idle_bytes(), mebibyte);
}

TEST(page_cache_thread, one_that_waits_for_long_ends_at_once) {
    const auto begin = std::chrono::steady_clock::now();
    page_cache cache;
    for (int round = 0; round < 10; ++round) {
        const page_cache_thread first(cache, std::chrono::hours(1));
        const page_cache_thread second(cache, std::chrono::hours(2));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
}

TEST(page_cache_thread, a_forked_child_has_one_of_its_own_once_it_frees_pages) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "ThreadSanitizer does not let a child start threads";
#endif
    if (!support::can_fork) GTEST_SKIP() << "the system has no fork";
    if (support::is_emulated()) GTEST_SKIP() << "nor does an emulator";
    page_cache cache;
    auto thread = std::make_unique<page_cache_thread>(cache, std::chrono::milliseconds(5));
    const int status = support::in_child([&] {
        if (thread->is_running()) return 1;
        free_pages(cache, 4 * mebibyte);
        if (!thread->is_running()) return 2;
        if (!becomes_empty(cache)) return 3;
        thread.reset();
        return 0;
    });
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(thread->is_running());
    free_pages(cache, 4 * mebibyte);
    EXPECT_TRUE(becomes_empty(cache));
}

TEST(page_cache_thread, one_that_a_child_does_not_use_may_be_destroyed_there) {
    if (!support::can_fork) GTEST_SKIP() << "the system has no fork";
    auto thread = std::make_unique<page_cache_thread>();
    const int status = support::in_child([&] {
        thread.reset();
        return 0;
    });
    EXPECT_EQ(status, 0);
}
