#include <gtest/gtest.h>
#include <freehold/core/static_mutex.hpp>

#include <atomic>
#include <thread>

namespace {

using freehold::detail::static_lock;
using freehold::detail::static_mutex;

constinit static_mutex mutex;

}  // namespace

TEST(static_mutex, excludes_other_threads) {
    int count = 0;
    const auto add = [&count] {
        for (int i = 0; i < 10'000; ++i) {
            const static_lock held(mutex);
            ++count;
        }
    };
    std::thread other(add);
    add();
    other.join();
    EXPECT_EQ(count, 20'000);
}

TEST(static_mutex, lets_the_thread_that_forks_go_on) {
    mutex.lock_for_fork();
    mutex.lock_for_fork();  // of another module
    mutex.lock();
    mutex.unlock();
    mutex.unlock_after_fork();
    mutex.lock();
    mutex.unlock();
    mutex.unlock_after_fork();
    mutex.unlock_after_fork();  // has no effect
    const static_lock held(mutex);
}

TEST(static_mutex, makes_other_threads_wait_for_a_fork) {
    std::atomic<bool> is_over = false;
    mutex.lock_for_fork();
    std::thread other([&is_over] {
        const static_lock held(mutex);
        EXPECT_TRUE(is_over.load());
    });
    is_over = true;
    mutex.unlock_after_fork();
    other.join();
}

TEST(static_mutex, returns_what_is_done_while_it_is_locked) {
    EXPECT_EQ(freehold::detail::locked(mutex, [] { return 7; }), 7);
}
