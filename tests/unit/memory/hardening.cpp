#include <freehold/memory/hardening.hpp>

#include <gtest/gtest.h>

#include <csignal>

#ifndef FREEHOLD_HARDENED

TEST(hardening, a_program_that_is_not_hardened_installs_no_handler) {
    const auto handler = [](int) {};
    std::signal(SIGSEGV, handler);
    EXPECT_FALSE(freehold::report_guarded_faults());
    EXPECT_EQ(std::signal(SIGSEGV, SIG_DFL), static_cast<void (*)(int)>(handler));
}

#endif
