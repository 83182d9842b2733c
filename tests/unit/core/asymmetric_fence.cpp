#include <gtest/gtest.h>
#include <pthread.h>
#include <freehold/core/asymmetric_fence.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "support/forbidden_membarrier.hpp"
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

// Returns: whether heavy() takes as long as what a processor may need to write its stores out. A fence that was never
// for the compiler alone need not wait.
bool waits_for_stores(asymmetric_fence& fence) {
    const auto before = std::chrono::steady_clock::now();
    fence.heavy();
    return !fence.is_asymmetric() || std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(10);
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

TEST(asymmetric_fence, it_waits_for_the_stores_of_readers_when_the_kernel_begins_to_refuse_membarrier) {
    asymmetric_fence fence;
    support::expect_without_membarrier([&] { fence.register_process(); }, [&] { return waits_for_stores(fence); });
}

#ifdef SIGUSR1
TEST(asymmetric_fence, a_signal_does_not_end_that_wait) {
    asymmetric_fence fence;
    support::expect_without_membarrier([&] { fence.register_process(); },
                                       [&] {
                                           std::signal(SIGUSR1, [](int) {});
                                           std::atomic<bool> is_done = false;
                                           std::thread disturber([&is_done, waiting = ::pthread_self()] {
                                               while (!is_done) {
                                                   ::pthread_kill(waiting, SIGUSR1);
                                                   std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                               }
                                           });
                                           const bool has_waited = waits_for_stores(fence);
                                           is_done = true;
                                           disturber.join();
                                           return has_waited;
                                       });
}
#endif
