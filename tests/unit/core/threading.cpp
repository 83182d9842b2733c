#include <gtest/gtest.h>
#include <freehold/core/threading.hpp>

#include <sys/resource.h>

using freehold::detail::process_threading;

// A thread that rests gives its processor to threads of any priority.
TEST(threading, rest_sleeps) {
    rusage before{};
    rusage after{};
    getrusage(RUSAGE_THREAD, &before);
    for (int i = 0; i != 10; ++i) process_threading::rest();
    getrusage(RUSAGE_THREAD, &after);
    EXPECT_GE(after.ru_nvcsw - before.ru_nvcsw, 10);
}
