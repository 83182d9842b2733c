#include <freehold/core/platform/stack_bounds.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

namespace {

bool is_on(const freehold::detail::stack_bounds& stack) {
    const auto* const frame = static_cast<const std::byte*>(__builtin_frame_address(0));
    return stack.lowest < frame && frame < stack.base;
}

}  // namespace

TEST(stack_bounds, a_thread_is_on_its_own_stack) {
    EXPECT_TRUE(is_on(freehold::detail::find_stack()));
    std::thread([] { EXPECT_TRUE(is_on(freehold::detail::find_stack())); }).join();
}
