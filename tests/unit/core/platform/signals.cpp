#include <freehold/core/platform/signals.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "support/child.hpp"

using namespace freehold::detail;

namespace {

void end_at_64(const void* address) noexcept { std::_Exit(address == reinterpret_cast<void*>(64) ? 0 : 1); }

}  // namespace

TEST(signals, a_fault_is_told_with_its_address) {
    EXPECT_EXIT(
        {
            fault_handler<&end_at_64>::install();
            *reinterpret_cast<volatile int*>(64) = 1;
        },
        testing::ExitedWithCode(0), "");
}

#ifdef SIGUSR1

namespace {

volatile std::sig_atomic_t count = 0;

const void* fault = nullptr;

void note(const void* address) noexcept { fault = address; }

}  // namespace

TEST(signals, one_that_comes_while_they_are_blocked_is_handled_afterwards) {
    std::signal(SIGUSR1, [](int) { count = count + 1; });
    {
        const signals_blocked blocked;
        ::raise(SIGUSR1);
        EXPECT_EQ(count, 0);
    }
    EXPECT_EQ(count, 1);
    std::signal(SIGUSR1, SIG_DFL);
}

TEST(signals, a_fault_is_told_before_the_handler_that_was_there) {
    EXPECT_EQ(support::in_child([] {
                  // The system calls it again and again, until somebody ends the process.
                  std::signal(SIGSEGV, [](int) { _exit(fault == reinterpret_cast<void*>(64) ? 0 : 1); });
                  if (!fault_handler<&note>::install()) return 2;
                  *reinterpret_cast<volatile int*>(64) = 1;
                  return 3;
              }),
              0);
}

#endif
