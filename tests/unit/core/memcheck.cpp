// What Valgrind is told is tested in tests/memcheck; here that nothing happens without it.

#include <gtest/gtest.h>
#include <freehold/core/memcheck.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace detail = freehold::detail;

TEST(memcheck, nobody_answers_a_request_here) {
    EXPECT_EQ(detail::ask_valgrind(0x1001), 0U) << "this asks whether the program runs under Valgrind";
    EXPECT_FALSE(detail::is_memcheck());
    EXPECT_FALSE(detail::is_memcheck()) << "the answer is kept";
}

TEST(memcheck, what_it_is_told_leaves_the_bytes_alone) {
    alignas(16) std::array<unsigned char, 64> memory;
    memory.fill(7);
    detail::tell_free(memory.data(), memory.size());
    detail::tell_fast_free(memory.data(), memory.size());
    detail::tell_allocated(memory.data(), memory.size());
    detail::tell_readable(memory.data(), memory.size());
    EXPECT_TRUE(std::ranges::all_of(memory, [](unsigned char byte) { return byte == 7; }));
}
