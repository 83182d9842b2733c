// Pointers that several threads read and replace.

#include "families.hpp"

#include <thread>

#include "support/threads.hpp"

namespace contracts {

namespace {

constexpr int threads = 4;

}  // namespace

CONTRACT(atomic_pointer, what_is_loaded_lives_and_is_seen_whole) {
    typename TypeParam::atomic atomic(TypeParam::make(0));
    support::in_threads(threads, [&](int i) {
        for (int round = 1; round <= 3000; ++round) {
            if (i == 0) {
                atomic.store(TypeParam::make(round));
            } else {
                const auto owner = TypeParam::owner(atomic.load());
                ASSERT_GE(owner->value, 0);
                ASSERT_EQ(owner->value, owner->again);
            }
        }
    });
}

CONTRACT(atomic_pointer, every_value_is_given_back_by_one_exchange) {
    constexpr int rounds = 2000;
    typename TypeParam::atomic atomic(TypeParam::make(0));
    std::atomic<int> sum = 0;
    support::in_threads(threads, [&](int i) {
        for (int round = 0; round < rounds; ++round) {
            sum += TestFixture::value(atomic.exchange(TypeParam::make(i * rounds + round)));
        }
    });
    sum += TestFixture::value(atomic.load());
    EXPECT_EQ(sum, threads * rounds * (threads * rounds - 1) / 2);
}

CONTRACT(atomic_pointer, no_increment_by_compare_exchange_is_lost) {
    constexpr int rounds = 1000;
    typename TypeParam::atomic atomic(TypeParam::make(0));
    support::in_threads(threads, [&](int) {
        for (int round = 0; round < rounds; ++round) {
            auto expected = atomic.load();
            while (!atomic.compare_exchange_weak(expected, TypeParam::make(TestFixture::value(expected) + 1))) {
            }
        }
    });
    EXPECT_EQ(TestFixture::value(atomic.load()), threads * rounds);
}

CONTRACT(owning_atomic_pointer, no_increment_by_compare_exchange_from_a_snapshot_is_lost) {
    constexpr int rounds = 1000;
    typename TypeParam::atomic atomic(TypeParam::make(0));
    support::in_threads(threads, [&](int) {
        for (int round = 0; round < rounds; ++round) {
            auto expected = atomic.snapshot();
            while (!atomic.compare_exchange_weak(expected, TypeParam::make(expected->value + 1))) {
            }
        }
    });
    EXPECT_EQ(atomic.load()->value, threads * rounds);
}

CONTRACT(owning_atomic_pointer, what_a_snapshot_shows_lives_and_is_seen_whole) {
    typename TypeParam::atomic atomic(TypeParam::make(0));
    support::in_threads(threads, [&](int i) {
        for (int round = 1; round <= 3000; ++round) {
            if (i == 0) {
                atomic.store(TypeParam::make(round));
            } else {
                const auto read = atomic.snapshot();
                ASSERT_GE(read->value, 0);
                ASSERT_EQ(read->value, read->again);
            }
        }
    });
}

// Whoever is not woken waits for ever, and the test is ended by its time limit.

CONTRACT(atomic_pointer, a_waiter_is_woken_when_the_value_changes) {
    const auto first = TypeParam::make(1);
    typename TypeParam::atomic atomic(first);
    std::thread waiting([&] {
        atomic.wait(first);
        EXPECT_EQ(TestFixture::value(atomic.load()), 2);
    });
    std::this_thread::yield();
    atomic.store(TypeParam::make(2));
    atomic.notify_one();
    waiting.join();
}

CONTRACT(atomic_pointer, a_waiter_stays_where_the_value_has_not_changed) {
    const auto first = TypeParam::make(1);
    typename TypeParam::atomic atomic(first);
    std::atomic<bool> returned = false;
    std::thread waiting([&] {
        atomic.wait(first);
        returned = true;
    });
    for (int round = 0; round < 100; ++round) {
        atomic.notify_all();
        EXPECT_TRUE(TypeParam::same(atomic.load(), first));
        std::this_thread::yield();
    }
    EXPECT_FALSE(returned);
    atomic.store({});
    atomic.notify_all();
    waiting.join();
}

CONTRACT(atomic_pointer, all_waiters_see_a_signal_go_round) {
    typename TypeParam::atomic atomic(TypeParam::make(0));
    support::in_threads(threads, [&](int i) {
        for (int turn = i; turn < 200; turn += threads) {
            for (auto seen = atomic.load(); TestFixture::value(seen) != turn; seen = atomic.load()) atomic.wait(seen);
            atomic.store(TypeParam::make(turn + 1));
            atomic.notify_all();
        }
    });
    EXPECT_EQ(TestFixture::value(atomic.load()), 200);
}

}  // namespace contracts
