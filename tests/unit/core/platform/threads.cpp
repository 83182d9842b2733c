#include <freehold/core/platform/threads.hpp>

#include <gtest/gtest.h>

#include <type_traits>

using namespace freehold::detail;

static_assert(std::is_trivially_destructible_v<native_mutex>);

namespace {

constinit native_mutex mutex;
int number = 0;
thread_id id = no_thread;

void* count(void* rounds) {
    id = this_thread();
    for (int i = 0; i < *static_cast<int*>(rounds); ++i) {
        mutex.lock();
        ++number;
        mutex.unlock();
        yield();
    }
    return nullptr;
}

}  // namespace

TEST(threads, one_is_started_and_joined_and_a_mutex_keeps_two_apart) {
    int rounds = 100;
    native_thread other;
    ASSERT_TRUE(other.start(&count, &rounds));
    for (int i = 0; i < rounds; ++i) {
        mutex.lock();
        ++number;
        mutex.unlock();
    }
    other.join();
    EXPECT_EQ(number, 2 * rounds);
    EXPECT_NE(id, this_thread());
    EXPECT_NE(this_thread(), no_thread);
}
