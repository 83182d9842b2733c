#pragma once
// Runs a function in a thread with little room for nested calls.

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>

#include "sanitized.hpp"

namespace support {

// Sanitizers put more into a frame, and their own things onto the stack; without optimization each call has a frame.
#ifdef __OPTIMIZE__
inline constexpr std::size_t small_stack_bytes = std::size_t{sanitized ? 512 : 64} * 1024;
#else
inline constexpr std::size_t small_stack_bytes = std::size_t{sanitized ? 512 : 256} * 1024;
#endif

// Effects: calls work() in a thread with a stack of small_stack_bytes, and waits for it.
template <class Work>
void with_small_stack(Work work) {
    pthread_attr_t attributes;
    pthread_t thread;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, small_stack_bytes), 0);
    const auto run = [](void* argument) -> void* {
        (*static_cast<Work*>(argument))();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    pthread_attr_destroy(&attributes);
}

}  // namespace support
