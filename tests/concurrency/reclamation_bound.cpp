// How many retired objects are not yet deleted while some threads retire and others have stopped.

#include <gtest/gtest.h>
#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

#include "support/threads.hpp"

namespace {

template <class Base>
struct counted : Base {
    counted() { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }

    static inline std::atomic<long> alive = 0;
};

struct hazardous : counted<freehold::hazard_pointer_obj_base<hazardous>> {
    static void reclaim_all() { freehold::hazard_pointer_clean_up(); }
};
struct rcu_object : counted<freehold::rcu_obj_base<rcu_object>> {
    static void reclaim_all() { freehold::rcu_barrier(); }
};

constexpr long bound = 37'000;

template <class Object>
class reclamation_bound : public testing::Test {
protected:
    void TearDown() override { Object::reclaim_all(); }

    // Returns: the largest number of objects that were alive at once.
    static long retire(long count) {
        long most = 0;
        for (long i = 0; i < count; ++i) {
            (new Object)->retire();
            most = std::max(most, Object::alive.load());
        }
        return most;
    }
};

using objects = testing::Types<hazardous, rcu_object>;
TYPED_TEST_SUITE(reclamation_bound, objects);

TYPED_TEST(reclamation_bound, holds_while_threads_that_have_retired_idle) {
    std::latch is_done(1);
    std::vector<std::thread> idle;
    long most = 0;
    for (int i = 0; i < 15; ++i) {
        std::latch has_retired(1);
        idle.emplace_back([&] {
            most = std::max(most, this->retire(16'000));
            has_retired.count_down();
            is_done.wait();
        });
        has_retired.wait();
    }
    most = std::max(most, this->retire(100'000));
    EXPECT_LE(most, bound);
    is_done.count_down();
    for (std::thread& each : idle) each.join();
}

// Among them is the first that needs membarrier. The system may suspend a thread that works for others: hence twice.
TYPED_TEST(reclamation_bound, holds_from_the_first_retirements_of_many_threads) {
    std::array<long, 15> most{};
    support::in_threads(15, [&](int thread) { most[static_cast<std::size_t>(thread)] = this->retire(16'000); });
    EXPECT_LE(std::ranges::max(most), 2 * bound);
}

TYPED_TEST(reclamation_bound, holds_after_each_of_many_threads_has_retired_and_ended) {
    long most = 0;
    for (int i = 0; i < 64; ++i) {
        std::thread([&] { most = std::max(most, this->retire(8'000)); }).join();
    }
    EXPECT_LE(most, bound);
}

}  // namespace
