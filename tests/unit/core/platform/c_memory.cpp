#include <freehold/core/platform/c_memory.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

TEST(c_memory, is_aligned_as_asked_for) {
    for (std::size_t alignment = alignof(void*); alignment <= 4096; alignment *= 2) {
        void* const memory = freehold::detail::take_c_memory(alignment, 2 * alignment);
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
        std::memset(memory, 1, 2 * alignment);
        freehold::detail::free_c_memory(memory);
    }
}
