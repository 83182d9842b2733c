// Compiled alone: a header is not one of all systems.

#include <gtest/gtest.h>
#include <freehold/core/threading.hpp>

#include <chrono>

#if defined(__linux__)
#include <sys/resource.h>
#endif

using freehold::detail::process_threading;

#if defined(__linux__)
// A thread that rests gives its processor to threads of any priority.
TEST(threading, rest_sleeps) {
    rusage before{};
    rusage after{};
    getrusage(RUSAGE_THREAD, &before);
    for (int i = 0; i != 10; ++i) process_threading::rest();
    getrusage(RUSAGE_THREAD, &after);
    EXPECT_GE(after.ru_nvcsw - before.ru_nvcsw, 10);
}
#else
// Other systems do not tell how often a thread has slept.
TEST(threading, rest_takes_time) {
    const auto before = std::chrono::steady_clock::now();
    process_threading::rest();
    EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::microseconds(20));
}
#endif
