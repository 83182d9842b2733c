// A thread that is started before main: what was counted plainly until then is counted atomically from then on.

#include <gtest/gtest.h>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>

#include <thread>

namespace {

constexpr int rounds = 20000;

struct early_thread {
    early_thread() {
        const auto copied_before = object;
        std::thread other([this] { copy_and_release(); });
        copy_and_release();
        other.join();
    }

    void copy_and_release() const {
        for (int round = 0; round < rounds; ++round) {
            const auto copy = object;
        }
    }

    freehold::shared_ptr<int> object = freehold::make_shared<int>(7);
};

const early_thread started_before_main;

}  // namespace

TEST(static_thread, a_thread_started_from_a_static_constructor_is_counted_with) {
    EXPECT_EQ(started_before_main.object.use_count(), 1);
    EXPECT_EQ(*started_before_main.object, 7);
}
