#include <freehold/core/platform/thread_key.hpp>

#include <gtest/gtest.h>

#include <pthread.h>

#include <thread>
#include <vector>

using freehold::detail::thread_key;

namespace {

int calls = 0;
const thread_key* again = nullptr;

void count_call(void* word) { calls += *static_cast<int*>(word); }

// Not in the last round, in which ThreadSanitizer knows the thread no more.
void set_again(void* word) {
    if (++calls < thread_key::rounds - 1) again->set(word);
}

}  // namespace

TEST(thread_key, the_end_of_a_thread_that_has_a_word_is_told) {
    calls = 0;
    int word = 3;
    const thread_key key(&count_call);
    std::thread([&] {
        EXPECT_TRUE(key.set(&word));
        EXPECT_EQ(calls, 0);
    }).join();
    std::thread([] {}).join();
    std::thread([&] {
        key.set(&word);
        key.set(nullptr);
    }).join();
    EXPECT_EQ(calls, 3);
}

TEST(thread_key, a_word_that_is_set_again_is_told_again) {
    calls = 0;
    const thread_key key(&set_again);
    again = &key;
    std::thread([&] { key.set(&key); }).join();
    EXPECT_EQ(calls, thread_key::rounds - 1);
}

TEST(thread_key, a_process_without_keys_left_is_told) {
    if (freehold::detail::thread_key::is_before_thread_locals) GTEST_SKIP() << "they take no keys of the process";
    std::thread([] {}).join();  // libc++ takes a key for itself
    std::vector<pthread_key_t> keys;
    for (pthread_key_t key{}; pthread_key_create(&key, nullptr) == 0;) keys.push_back(key);
    const thread_key none(&count_call);
    EXPECT_FALSE(none.set(&keys));
    for (const pthread_key_t key : keys) pthread_key_delete(key);
}
