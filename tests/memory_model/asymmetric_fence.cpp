// The two halves of the fence where there is no membarrier, under the checker: of two threads, each of which stores and
// then loads, one sees what the other stored.

#include <gtest/gtest.h>
#include <freehold/core/asymmetric_fence.hpp>

#include <atomic>
#include <cstddef>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"
#include "support/thread_sanitizer.hpp"

namespace {

struct a_reader_and_a_reclaimer {
    static constexpr std::size_t threads = 2;

    a_reader_and_a_reclaimer() { fence.refuse_membarrier(); }

    void run(std::size_t thread) {
        if (thread == 0) {
            announced.store(true, std::memory_order_relaxed);
            fence.light();
            reader_saw = unlinked.load(std::memory_order_relaxed);
        } else {
            unlinked.store(true, std::memory_order_relaxed);
            fence.heavy();
            reclaimer_saw = announced.load(std::memory_order_relaxed);
        }
    }

    void check() { EXPECT_TRUE(reader_saw || reclaimer_saw); }

    freehold::detail::basic_asymmetric_fence<support::checked_threading> fence;
    support::checked_atomic<bool> announced = false;
    support::checked_atomic<bool> unlinked = false;
    bool reader_saw = false;
    bool reclaimer_saw = false;
};

}  // namespace

TEST(checked_asymmetric_fence, a_reader_or_a_reclaimer_sees_the_other_without_membarrier) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "the fence is no fence then";
#endif
    EXPECT_GT(support::for_every_execution<a_reader_and_a_reclaimer>(support::bounds{}), 3);
}
