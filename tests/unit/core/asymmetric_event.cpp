// What threads do with it in every order is tested in memory_model/asymmetric_event.cpp.

#include <gtest/gtest.h>
#include <freehold/core/asymmetric_event.hpp>
#include <freehold/core/asymmetric_fence.hpp>
#include <freehold/core/threading.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

struct asymmetric_event : testing::TestWithParam<bool> {
    asymmetric_event() {
        if (!GetParam()) barrier.refuse_membarrier();
        barrier.register_process();
    }

    freehold::detail::asymmetric_fence barrier;
    freehold::detail::asymmetric_event<freehold::detail::process_threading> changed;
};

INSTANTIATE_TEST_SUITE_P(with_and_without_membarrier, asymmetric_event, testing::Bool());

}  // namespace

TEST_P(asymmetric_event, a_thread_does_not_wait_for_what_holds) {
    changed.wait(barrier, [] { return true; });
}

TEST_P(asymmetric_event, a_thread_that_sleeps_is_woken) {
    std::atomic<bool> holds = false;
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        holds = true;
        changed.notify(barrier);
    });
    changed.wait(barrier, [&holds] { return holds.load(); });
    other.join();
}

TEST_P(asymmetric_event, threads_take_turns) {
    std::atomic<int> turn = 0;
    constexpr int rounds = 2'000;
    const auto play = [&](int mine) {
        for (int i = 0; i != rounds; ++i) {
            changed.wait(barrier, [&turn, mine] { return turn.load() == mine; });
            turn = 1 - mine;
            changed.notify(barrier);
        }
    };
    std::thread other(play, 1);
    play(0);
    other.join();
    EXPECT_EQ(turn.load(), 0);
}
