#include <freehold/core/platform/unwind.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

using freehold::detail::finds_calls;
using freehold::detail::unwind_calls;

namespace {

constexpr int most = 64;

// Returns: where the call goes on, if it is among those that are found.
[[gnu::noinline]] const void* find_own_call() {
    void* calls[most];
    const int count = unwind_calls(calls, most);
    const void* const own = __builtin_return_address(0);
    return std::count(calls, calls + count, own) != 0 ? own : nullptr;
}

}  // namespace

TEST(unwind, finds_the_call_of_a_function) {
    if (!finds_calls) GTEST_SKIP() << "the system finds none";
    EXPECT_NE(find_own_call(), nullptr);
}

TEST(unwind, finds_no_more_calls_than_it_is_asked_for) {
    void* calls[2] = {calls, calls};
    EXPECT_LE(unwind_calls(calls, 1), 1);
    EXPECT_EQ(calls[1], calls);
}
