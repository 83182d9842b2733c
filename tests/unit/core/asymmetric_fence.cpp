#include <gtest/gtest.h>
#include <freehold/core/asymmetric_fence.hpp>

#include <atomic>

#include "support/threads.hpp"

using freehold::detail::asymmetric_fence;

namespace {

// Counts how often both of two threads, each of which stores and then loads, have loaded what was there before: never,
// if the two halves of the fence work together.
int missed_both(asymmetric_fence& fence) {
    constexpr int rounds = 2000;
    std::atomic<int> announced[rounds]{};
    std::atomic<int> replaced[rounds]{};
    bool announcer_missed[rounds]{};
    bool replacer_missed[rounds]{};
    support::in_threads(2, [&](int thread) {
        for (int i = 0; i < rounds; ++i) {
            if (thread == 0) {
                announced[i].store(1, std::memory_order_relaxed);
                fence.light();
                announcer_missed[i] = replaced[i].load(std::memory_order_relaxed) == 0;
            } else {
                replaced[i].store(1, std::memory_order_relaxed);
                fence.heavy();
                replacer_missed[i] = announced[i].load(std::memory_order_relaxed) == 0;
            }
        }
    });
    int missed = 0;
    for (int i = 0; i < rounds; ++i) missed += announcer_missed[i] && replacer_missed[i];
    return missed;
}

}  // namespace

TEST(asymmetric_fence, of_two_threads_one_sees_the_others_store) {
    asymmetric_fence fence;
    fence.register_process();
    EXPECT_EQ(missed_both(fence), 0);
}

TEST(asymmetric_fence, it_works_where_the_kernel_refuses_membarrier) {
    asymmetric_fence fence;
    fence.refuse_membarrier();
    EXPECT_EQ(missed_both(fence), 0);
    EXPECT_FALSE(fence.is_asymmetric());
}
