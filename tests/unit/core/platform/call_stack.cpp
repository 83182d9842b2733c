#define FREEHOLD_HARDENED  // or it has fewer functions; nothing that allocates is used here

#include <freehold/core/platform/call_stack.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

#ifdef FREEHOLD_BACKTRACE

TEST(call_stack, it_is_printed_with_a_command_that_finds_the_lines) {
    testing::internal::CaptureStderr();
    freehold::detail::print_calls_to(__builtin_return_address(0));
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_NE(printed.find("    called from:\n"), std::string::npos);
#if defined(_WIN32)
    EXPECT_NE(printed.find(".exe+0x"), std::string::npos);  // Windows knows no command
#else
    EXPECT_NE(printed.find("addr2line -Cfipe "), std::string::npos);
#endif
}

TEST(call_stack, calls_that_were_noted_are_printed_later) {
    void* calls[4];
    const int count = freehold::detail::note_calls(calls, 4);
    EXPECT_GT(count, 0);
    EXPECT_LE(count, 4);
    testing::internal::CaptureStderr();
    freehold::detail::write_calls(calls, count);
    EXPECT_NE(testing::internal::GetCapturedStderr(), "");
}

#else

TEST(call_stack, is_known_to_the_c_library) { GTEST_SKIP() << "not to this one"; }

#endif

}  // namespace
