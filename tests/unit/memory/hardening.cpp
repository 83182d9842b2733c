#include <freehold/memory/hardening.hpp>

#include <gtest/gtest.h>

#include <csignal>

#ifndef FREEHOLD_HARDENED

TEST(hardening, a_program_that_is_not_hardened_installs_no_handler) {
    struct sigaction before{};
    ASSERT_EQ(::sigaction(SIGSEGV, nullptr, &before), 0);
    EXPECT_FALSE(freehold::report_guarded_faults());
    struct sigaction after{};
    ASSERT_EQ(::sigaction(SIGSEGV, nullptr, &after), 0);
    EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
}

#endif
