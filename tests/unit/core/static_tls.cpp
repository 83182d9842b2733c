#include <freehold/core/static_tls.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace {

FREEHOLD_STATIC_TLS inline constinit thread_local int number = 3;

TEST(static_tls, each_thread_has_a_variable_of_its_own) {
    number = 4;
    std::thread([] { EXPECT_EQ(number, 3); }).join();
    EXPECT_EQ(number, 4);
}

}  // namespace
