// That the operations are atomic is tested by what is made of them: concurrency/marking_helper.cpp.

#include <gtest/gtest.h>
#include <freehold/core/platform/atomic_ref.hpp>

#include <atomic>
#include <cstdint>

using freehold::detail::atomic_ref;

TEST(atomic_ref, reads_and_writes_the_object) {
    int object = 0;
    int* pointer = nullptr;
    atomic_ref(pointer).store(&object, std::memory_order_release);
    EXPECT_EQ(pointer, &object);
    EXPECT_EQ(atomic_ref(pointer).load(std::memory_order_acquire), &object);
}

TEST(atomic_ref, fetch_or_sets_bits_and_returns_those_before) {
    std::uint64_t bits = 5;
    EXPECT_EQ(atomic_ref(bits).fetch_or(2, std::memory_order_relaxed), 5U);
    EXPECT_EQ(atomic_ref(bits).fetch_or(6, std::memory_order_seq_cst), 7U);
    EXPECT_EQ(bits, 7U);
}
