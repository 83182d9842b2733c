// Owners and weak pointers that several threads read and replace.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

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

TEST_F(concurrent_atomic, what_is_loaded_lives_and_is_seen_whole) {
    freehold::atomic_shared_ptr<object> atomic(freehold::make_shared<object>());
    support::in_threads(threads, [&](int i) {
        for (int round = 1; round <= 3000; ++round) {
            if (i == 0) {
                atomic.store(freehold::make_shared<object>(round));
            } else {
                const pointer loaded = atomic.load();
                ASSERT_GE(loaded->value, 0);
                ASSERT_EQ(loaded->value, loaded->again);
            }
        }
    });
}

TEST_F(concurrent_atomic, every_value_is_given_back_by_one_exchange) {
    constexpr int rounds = 2000;
    freehold::atomic_shared_ptr<object> atomic;
    std::atomic<int> sum = 0;
    support::in_threads(threads, [&](int i) {
        for (int round = 0; round < rounds; ++round) {
            const pointer old = atomic.exchange(freehold::make_shared<object>(i * rounds + round));
            if (old) sum += old->value;
        }
    });
    sum += atomic.load()->value;
    EXPECT_EQ(sum, threads * rounds * (threads * rounds - 1) / 2);
}

TEST_F(concurrent_atomic, no_increment_by_compare_exchange_is_lost) {
    constexpr int rounds = 1000;
    freehold::atomic_shared_ptr<object> atomic(freehold::make_shared<object>(0));
    support::in_threads(threads, [&](int) {
        for (int round = 0; round < rounds; ++round) {
            pointer expected = atomic.load();
            while (!atomic.compare_exchange_weak(expected, freehold::make_shared<object>(expected->value + 1))) {
            }
        }
    });
    EXPECT_EQ(atomic.load()->value, threads * rounds);
}

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

TEST_F(concurrent_atomic, a_waiter_is_woken_when_the_pointer_changes) {
    const pointer first = freehold::make_shared<object>(1);
    freehold::atomic_shared_ptr<object> atomic(first);
    std::thread waiting([&] {
        atomic.wait(first);
        EXPECT_EQ(atomic.load()->value, 2);
    });
    std::this_thread::yield();
    atomic.store(freehold::make_shared<object>(2));
    atomic.notify_one();
    waiting.join();
}

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

TEST_F(concurrent_atomic, a_waiter_stays_where_the_value_has_not_changed) {
    const pointer first = freehold::make_shared<object>(1);
    freehold::atomic_shared_ptr<object> atomic(first);
    std::atomic<bool> returned = false;
    std::thread waiting([&] {
        atomic.wait(first);
        returned = true;
    });
    for (int round = 0; round < 100; ++round) {
        atomic.notify_all();
        EXPECT_EQ(atomic.load(), first);
        std::this_thread::yield();
    }
    EXPECT_FALSE(returned);
    atomic.store(nullptr);
    atomic.notify_all();
    waiting.join();
}

TEST_F(concurrent_atomic, all_waiters_see_a_signal_go_round) {
    freehold::atomic_shared_ptr<object> atomic(freehold::make_shared<object>(0));
    support::in_threads(threads, [&](int i) {
        for (int turn = i; turn < 200; turn += threads) {
            for (pointer seen = atomic.load(); seen->value != turn; seen = atomic.load()) atomic.wait(seen);
            atomic.store(freehold::make_shared<object>(turn + 1));
            atomic.notify_all();
        }
    });
    EXPECT_EQ(atomic.load()->value, 200);
}
