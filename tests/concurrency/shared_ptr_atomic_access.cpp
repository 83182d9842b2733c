// A shared_ptr that several threads read and replace by the functions for it.

#include <gtest/gtest.h>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr_atomic_access.hpp>

#include <array>
#include <cstddef>

#include "support/paired_value.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

namespace {

constexpr int threads = 4;

using object = support::paired_value;

class concurrent_atomic_access : public support::tracked_test {};

}  // namespace

TEST_F(concurrent_atomic_access, no_increment_by_compare_exchange_is_lost) {
    constexpr int rounds = 1000;
    // More pointers than latches, so that some share one.
    std::array<freehold::shared_ptr<object>, 20> pointers;
    for (auto& pointer : pointers) pointer = freehold::make_shared<object>();
    support::in_threads(threads, [&](int) {
        for (std::size_t round = 0; round < rounds; ++round) {
            auto& pointer = pointers[round % pointers.size()];
            auto expected = atomic_load(&pointer);
            while (!atomic_compare_exchange_weak(&pointer, &expected,
                                                 freehold::make_shared<object>(expected->value + 1))) {
            }
        }
    });
    int sum = 0;
    for (const auto& pointer : pointers) sum += pointer->value;
    EXPECT_EQ(sum, threads * rounds);
}
