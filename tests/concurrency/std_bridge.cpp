// Owners that cross between Freehold and std in several threads at once.

#include <gtest/gtest.h>
#include <freehold/interop/std_bridge.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>

#include <memory>

#include "support/summed_at_end.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

using freehold::from_std;
using freehold::to_std;

namespace {

using object = support::summed_at_end;

constexpr int threads = object::writers;

// An object that makes owners of itself: crossings must not take turns in telling it of their blocks.
struct self_aware : std::enable_shared_from_this<self_aware>, support::tracked {};

class concurrent_std_bridge : public support::tracked_test {};

// Effects: owners that count by Counting make round trips in several threads.
template <class Counting>
void cross_at_once() {
    const freehold::shared_ptr<object, Counting> ours(new object);
    const auto away = to_std(ours);
    const auto theirs = std::make_shared<object>();
    const auto here = from_std<Counting>(theirs);
    support::in_threads(threads, [&](int) {
        for (int round = 0; round < 1000; ++round) {
            ASSERT_EQ(from_std<Counting>(away), ours);
            ASSERT_EQ(from_std<Counting>(to_std(ours)), ours);
            ASSERT_EQ(to_std(here), theirs);
            ASSERT_EQ(to_std(from_std<Counting>(theirs)), theirs);
            ASSERT_EQ(freehold::weak_to_std(freehold::weak_ptr<object, Counting>(here)).lock(), theirs);
            ASSERT_EQ(freehold::weak_from_std<Counting>(std::weak_ptr<object>(away)).lock(), ours);
        }
    });
    EXPECT_EQ(ours.use_count(), 2);
    EXPECT_EQ(theirs.use_count(), 2);
}

}  // namespace

TEST_F(concurrent_std_bridge, round_trips_at_once_are_all_counted) { cross_at_once<freehold::atomic_counting>(); }
TEST_F(concurrent_std_bridge, biased_owners_cross_at_once) { cross_at_once<freehold::biased_counting>(); }
TEST_F(concurrent_std_bridge, sharded_owners_cross_at_once) { cross_at_once<freehold::sharded_counting>(); }

TEST_F(concurrent_std_bridge, whichever_thread_and_library_is_the_last_destroys_the_object_once) {
    constexpr int rounds = 500;
    for (int round = 0; round < rounds; ++round) {
        freehold::shared_ptr<object> ours[threads] = {freehold::make_shared<object>()};
        std::shared_ptr<object> theirs[threads] = {std::make_shared<object>()};
        ours[0]->sum_at_end = theirs[0]->sum_at_end = threads;
        for (int i = 1; i < threads; ++i) {
            ours[i] = i % 2 == 0 ? ours[0] : from_std(theirs[0]);
            theirs[i] = i % 2 == 0 ? theirs[0] : to_std(ours[0]);
        }
        support::in_threads(threads, [&](int i) {
            ours[i]->values[i] = 1;
            ours[i].reset();
            theirs[i]->values[i] = 1;
            theirs[i].reset();
        });
        ASSERT_EQ(support::tracked::destroyed(), 2 * (round + 1));
    }
}

TEST_F(concurrent_std_bridge, an_owner_comes_back_while_the_last_one_that_is_away_is_released) {
    for (int round = 0; round < 500; ++round) {
        const auto ours = freehold::make_shared<object>();
        std::shared_ptr<object> away = to_std(ours);
        const std::weak_ptr<object> weak = away;
        support::in_threads(2, [&](int i) {
            if (i == 0) {
                away.reset();
            } else {
                const auto back = freehold::weak_from_std(weak).lock();
                EXPECT_TRUE(back == nullptr || back == ours);
            }
        });
        ASSERT_EQ(ours.use_count(), 1);
    }
}

TEST_F(concurrent_std_bridge, an_object_that_makes_owners_of_itself_crosses_in_all_threads_at_once) {
    for (int round = 0; round < 500; ++round) {
        const auto ours = freehold::make_shared<self_aware>();
        support::in_threads(threads, [&](int) {
            const auto away = to_std(ours);
            ASSERT_TRUE(away->weak_from_this().expired());
        });
    }
}
