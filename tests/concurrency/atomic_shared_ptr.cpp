// Owners and weak pointers that several threads read and replace.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <thread>

#include "support/paired_value.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

namespace {

constexpr int threads = 4;

using object = support::paired_value;
using pointer = freehold::shared_ptr<object>;
using weak = freehold::weak_ptr<object>;

class concurrent_atomic : public support::tracked_test {
protected:
    void TearDown() override {
        freehold::flush_deferred_releases();
        support::tracked_test::TearDown();
    }
};

}  // namespace

TEST_F(concurrent_atomic, pointer_and_owner_belong_together) {
    const pointer owners[2] = {freehold::make_shared<object>(0), freehold::make_shared<object>(1)};
    using alias = freehold::shared_ptr<int>;
    freehold::atomic_shared_ptr<int> atomic(alias(owners[0], &owners[0]->value));
    support::in_threads(threads, [&](int i) {
        for (int round = 0; round < 3000; ++round) {
            if (i < 2) {
                atomic.store(alias(owners[i], &owners[i]->value));
            } else {
                const alias loaded = atomic.load();
                ASSERT_TRUE(loaded.owner_equal(owners[*loaded]));
            }
        }
    });
}

TEST_F(concurrent_atomic, a_weak_pointer_that_is_replaced_locks_what_lives_or_nothing) {
    freehold::atomic_weak_ptr<object> atomic;
    support::in_threads(threads, [&](int i) {
        for (int round = 0; round < 2000; ++round) {
            if (i == 0) {
                const pointer owner = freehold::make_shared<object>(round);
                atomic.store(owner);
            } else if (const pointer locked = atomic.load().lock()) {
                ASSERT_EQ(locked->value, locked->again);
            }
        }
    });
    EXPECT_TRUE(atomic.load().expired());
}

// Whoever is not woken waits for ever, and the test is ended by its time limit.

TEST_F(concurrent_atomic, a_waiter_is_woken_when_only_the_owner_changes) {
    int value = 7;
    const freehold::shared_ptr<int> first(freehold::make_shared<object>(), &value);
    freehold::atomic_shared_ptr<int> atomic(first);
    std::thread waiting([&] { atomic.wait(first); });
    std::this_thread::yield();
    atomic.store(freehold::shared_ptr<int>(freehold::make_shared<object>(), &value));
    atomic.notify_all();
    waiting.join();
}
