#include <gtest/gtest.h>
#include <freehold/tracing/safepoint.hpp>

#include <atomic>
#include <thread>

#include <freehold/core/threading.hpp>

namespace {

using safepoint = freehold::detail::safepoint<freehold::detail::process_threading>;

}  // namespace

TEST(safepoint, one_session_stops_at_once) {
    safepoint at;
    at.enter();
    bool has_asked = false;
    EXPECT_TRUE(at.stop([&has_asked] { has_asked = true; }));
    EXPECT_TRUE(has_asked);
    EXPECT_TRUE(at.is_stopped());
    at.resume();
    EXPECT_FALSE(at.is_stopped());
    at.leave();
}

TEST(safepoint, a_session_that_has_left_stops_nobody) {
    safepoint at;
    at.enter();
    at.enter();
    at.leave();
    EXPECT_TRUE(at.stop([] {}));
    at.resume();
}

TEST(safepoint, a_session_waits_until_the_others_go_on) {
    safepoint at;
    at.enter();
    std::atomic<bool> runs = false;
    std::atomic<bool> has_waited = false;
    std::thread other([&] {
        at.enter();
        runs = true;
        while (!at.is_stopped()) std::this_thread::yield();
        at.wait();
        has_waited = true;
        at.leave();
    });
    while (!runs) std::this_thread::yield();
    EXPECT_TRUE(at.stop([] {}));
    EXPECT_FALSE(has_waited);
    at.resume();
    other.join();
    EXPECT_TRUE(has_waited);
    at.leave();
}
