// Draining: what was retired before, and what deleters retire in turn, is deleted when it returns; and it sleeps while
// it waits.

#include "families.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <thread>
#include <utility>

#include "support/on_one_processor.hpp"

namespace contracts {

namespace {

using namespace std::chrono_literals;

// Its destructor calls a function.
template <class Family>
struct ending : Family::template base<ending<Family>>, support::tracked {
    explicit ending(std::function<void()> function) : at_end(std::move(function)) {}
    ending(const ending&) = delete;
    ending& operator=(const ending&) = delete;
    ~ending() { at_end(); }

    std::function<void()> at_end;
};

template <class Family>
void retire_ending(std::function<void()> function) {
    (new ending<Family>(std::move(function)))->retire();
}

// Retires an object whose deleter retires another one, and so on.
template <class Family>
void retire_chain(int length) {
    if (length != 0) retire_ending<Family>([length] { retire_chain<Family>(length - 1); });
}

// Retires objects, and so works for those that were retired before.
template <class Family>
void work_until(const std::atomic<bool>& is_done) {
    struct object : Family::template base<object> {};
    while (!is_done.load()) (new object)->retire();
}

}  // namespace

CONTRACT(reclamation_domain, a_drain_reclaims_what_deleters_retire) {
    retire_chain<TypeParam>(1'000);
    TypeParam::reclaim_all();
    EXPECT_EQ(support::tracked::alive(), 0);
}

CONTRACT(reclamation_domain, a_drain_in_a_deleter_returns_at_once) {
    bool has_returned = false;
    retire_ending<TypeParam>([&has_returned] {
        retire_chain<TypeParam>(2);
        TypeParam::reclaim_all();
        has_returned = support::tracked::alive() == 2;  // this object, and the one that it has retired
    });
    TypeParam::reclaim_all();
    EXPECT_TRUE(has_returned);
    EXPECT_EQ(support::tracked::alive(), 0);
}

// Else two threads could wait for each other.
CONTRACT(reclamation_domain, a_drain_of_both_domains_in_a_deleter_returns_at_once) {
    bool has_returned = false;
    retire_ending<TypeParam>([&has_returned] {
        retire_chain<hazard>(1);
        retire_chain<rcu>(1);
        hazard::reclaim_all();
        rcu::reclaim_all();
        has_returned = support::tracked::alive() == 3;  // this object, and those that it has retired
    });
    TypeParam::reclaim_all();
    EXPECT_TRUE(has_returned);
    hazard::reclaim_all();
    rcu::reclaim_all();
    EXPECT_EQ(support::tracked::alive(), 0);
}

// The deleter that another thread runs retires an object only after the drain has taken what was in the shards.
CONTRACT(reclamation_domain, a_drain_reclaims_what_a_deleter_of_another_thread_retires) {
    std::latch is_running(1);
    std::latch may_go_on(1);
    std::atomic<bool> is_done = false;
    std::thread other([&] {
        retire_ending<TypeParam>([&] {
            is_running.count_down();
            may_go_on.wait();
            retire_chain<TypeParam>(3);
            is_done = true;
        });
        work_until<TypeParam>(is_done);
    });
    is_running.wait();
    std::thread late([&may_go_on] {
        std::this_thread::sleep_for(20ms);
        may_go_on.count_down();
    });
    TypeParam::reclaim_all();
    EXPECT_TRUE(is_done.load());
    EXPECT_EQ(support::tracked::alive(), 0);
    late.join();
    other.join();
}

CONTRACT(reclamation_domain, a_drain_does_not_wait_for_what_is_retired_later) {
    std::atomic<bool> is_done = false;
    std::thread other([&is_done] { work_until<TypeParam>(is_done); });
    for (int i = 0; i != 100; ++i) {
        retire_chain<TypeParam>(3);
        TypeParam::reclaim_all();
        EXPECT_EQ(support::tracked::alive(), 0);
    }
    is_done = true;
    other.join();
}

CONTRACT(reclamation_domain, drains_of_two_threads_both_reclaim_all) {
    for (int i = 0; i != 100; ++i) {
        std::thread other([] {
            retire_chain<TypeParam>(3);
            TypeParam::reclaim_all();
        });
        TypeParam::reclaim_all();
        other.join();
        EXPECT_EQ(support::tracked::alive(), 0);
    }
}

// Else the waiting thread, which the system prefers, would keep the other from its processor.
CONTRACT(reclamation_domain, a_drain_of_a_real_time_thread_lets_a_deleter_of_another_go_on) {
    const support::on_one_processor here;
    std::latch is_running(1);
    std::atomic<bool> may_go_on = false;
    std::atomic<bool> is_done = false;
    std::thread other([&] {
        retire_ending<TypeParam>([&] {
            is_running.count_down();
            while (!may_go_on.load()) {
            }
        });
        while (support::tracked::alive() != 0) work_until<TypeParam>(is_done);
    });
    std::thread real_time([&] {
        is_running.wait();
        sched_param highest{};
        highest.sched_priority = sched_get_priority_max(SCHED_FIFO);
        const bool is_real_time = pthread_setschedparam(pthread_self(), SCHED_FIFO, &highest) == 0;
        may_go_on = true;
        if (is_real_time) TypeParam::reclaim_all();
        is_done = true;
    });
    real_time.join();
    other.join();
    EXPECT_EQ(support::tracked::alive(), 0);
}

}  // namespace contracts
