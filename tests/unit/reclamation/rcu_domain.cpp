// What hazard pointers and RCU have in common is tested in contracts/reclamation_domain.

#include <gtest/gtest.h>
#include <freehold/reclamation/rcu_domain.hpp>

#include <atomic>
#include <chrono>
#include <ctime>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "support/thread_locals.hpp"

namespace {

using freehold::rcu_default_domain;
using freehold::rcu_domain;

struct counted : freehold::rcu_obj_base<counted> {
    explicit counted(int& count) : alive(count) { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }

    int& alive;
};

// The standard's: nobody makes a domain but the library, and all but rcu_retire is noexcept.
static_assert(!std::is_default_constructible_v<rcu_domain> && !std::is_copy_constructible_v<rcu_domain>);
static_assert(!std::is_copy_assignable_v<rcu_domain>);
static_assert(noexcept(rcu_default_domain()) && noexcept(freehold::rcu_synchronize()));
static_assert(noexcept(freehold::rcu_barrier()) && noexcept(std::declval<counted&>().retire()));
static_assert(noexcept(rcu_default_domain().lock()) && noexcept(rcu_default_domain().try_lock()));
static_assert(noexcept(rcu_default_domain().unlock()));
static_assert(!noexcept(freehold::rcu_retire(std::declval<int*>())));

[[nodiscard]] std::chrono::nanoseconds cpu_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

TEST(rcu_domain, is_the_same_one_each_time) { EXPECT_EQ(&rcu_default_domain(), &rcu_default_domain()); }

TEST(rcu_domain, deletes_what_has_no_base) {
    struct plain {
        explicit plain(int& count) : alive(count) { ++alive; }
        plain(const plain&) = delete;
        plain& operator=(const plain&) = delete;
        ~plain() { --alive; }

        int& alive;
    };
    int alive = 0;
    freehold::rcu_retire(new plain(alive));
    EXPECT_EQ(alive, 1);
    freehold::rcu_barrier();
    EXPECT_EQ(alive, 0);
}

TEST(rcu_domain, calls_the_deleter_that_rcu_retire_was_given) {
    int object = 0;
    auto once = std::make_unique<int>(5);
    freehold::rcu_retire(&object, [once = std::move(once)](int* p) { *p = *once; });
    freehold::rcu_barrier(rcu_default_domain());
    EXPECT_EQ(object, 5);
}

struct unknown;  // incomplete here
int unknown_deleted = 0;

TEST(rcu_domain, retires_what_it_does_not_know_the_size_of) {
    int there = 0;
    freehold::rcu_retire(reinterpret_cast<unknown*>(&there), [](unknown*) { ++unknown_deleted; });
    freehold::rcu_retire(static_cast<void*>(&there), [](void*) { ++unknown_deleted; });
    freehold::rcu_barrier();
    EXPECT_EQ(unknown_deleted, 2);
}

TEST(rcu_domain, keeps_what_is_retired_in_a_region_until_that_is_closed) {
    int alive = 0;
    rcu_default_domain().lock();
    EXPECT_TRUE(rcu_default_domain().try_lock());
    for (int i = 0; i < 100'000; ++i) (new counted(alive))->retire();
    rcu_default_domain().unlock();
    for (int i = 0; i < 100'000; ++i) (new counted(alive))->retire();
    EXPECT_EQ(alive, 200'000);
    rcu_default_domain().unlock();
    freehold::rcu_barrier();
    EXPECT_EQ(alive, 0);
}

TEST(rcu_domain, a_region_that_is_opened_later_keeps_nothing) {
    int alive = 0;
    std::atomic<int> stage = 0;
    std::thread reader([&stage] {
        stage.wait(0);
        const std::scoped_lock region(rcu_default_domain());
        stage = 2;
        stage.notify_all();
        stage.wait(2);
    });
    (new counted(alive))->retire();
    freehold::rcu_synchronize();
    int before = 0;
    do {  // until what was retired before is being deleted
        before = alive;
        (new counted(alive))->retire();
    } while (alive > before);
    stage = 1;
    stage.notify_all();
    stage.wait(1);
    before = alive;
    for (int i = 0; i < 20'000; ++i) (new counted(alive))->retire();
    EXPECT_LT(alive, before + 20'000);
    stage = 3;
    stage.notify_all();
    reader.join();
    freehold::rcu_barrier();
    EXPECT_EQ(alive, 0);
}

namespace {

// Closes a region of the thread when the domain has left the thread already.
struct late_unlock {
    ~late_unlock() {
        // Another thread would be given the region's announcement, and end it.
        std::thread([] { const std::scoped_lock region(rcu_default_domain()); }).join();
        std::thread([this] {
            (new counted(*alive))->retire();
            for (int i = 0; i < 100'000; ++i) (new counted(*others))->retire();
        }).join();
        was_protected = *alive == 1;
        rcu_default_domain().unlock();
    }

    int* alive = nullptr;
    int* others = nullptr;
    static inline bool was_protected = false;
};

}  // namespace

TEST(rcu_domain, a_region_may_be_closed_by_the_last_thread_local_object_of_its_thread) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    int alive = 0;
    int others = 0;
    std::thread([&] {
        static thread_local late_unlock last;  // older than what the domain has of the thread
        last.alive = &alive;
        last.others = &others;
        rcu_default_domain().lock();
    }).join();
    ASSERT_TRUE(late_unlock::was_protected);
    freehold::rcu_barrier();
    EXPECT_EQ(alive, 0);
}

namespace {

// Opens a region of the thread when the domain has left the thread already.
struct late_lock {
    ~late_lock() {
        const std::scoped_lock region(rcu_default_domain());
        std::thread([this] {
            (new counted(*alive))->retire();
            for (int i = 0; i < 100'000; ++i) (new counted(*others))->retire();
        }).join();
        was_protected = *alive == 1;
    }

    int* alive = nullptr;
    int* others = nullptr;
    static inline bool was_protected = false;
};

}  // namespace

TEST(rcu_domain, a_region_that_the_last_thread_local_object_of_its_thread_opens_protects) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    int alive = 0;
    int others = 0;
    std::thread([&] {
        static thread_local late_lock last;  // older than what the domain has of the thread
        last.alive = &alive;
        last.others = &others;
        const std::scoped_lock region(rcu_default_domain());
    }).join();
    EXPECT_TRUE(late_lock::was_protected);
    freehold::rcu_barrier();
    EXPECT_EQ(alive, 0);
}

TEST(rcu_domain, a_scan_does_not_wait_for_a_region_that_is_opened_later) {
    using thread = freehold::detail::rcu_thread;
    thread::readers_type::grace_period grace(thread::shards.begin_scan());
    const std::scoped_lock region(rcu_default_domain());
    EXPECT_TRUE(grace.has_ended(thread::shards.readers, 100));
}

TEST(rcu_domain, synchronize_waits_for_regions_of_others) {
    std::atomic<int> stage = 0;
    int written = 0;
    std::thread reader([&] {
        const std::scoped_lock region(rcu_default_domain());
        stage = 1;
        stage.notify_all();
        stage.wait(1);
        written = 1;
    });
    stage.wait(0);
    std::thread other([&stage] {
        stage = 2;
        stage.notify_all();
    });
    freehold::rcu_synchronize();
    EXPECT_EQ(written, 1);
    reader.join();
    other.join();
}

TEST(rcu_domain, barrier_waits_for_deleters_in_other_threads) {
    struct slow {
        std::atomic<int>* stage;
        void operator()(int* p) const {
            if (p == nullptr) return;
            *stage = 1;
            stage->notify_all();
            stage->wait(1);
            *p = 1;
        }
    };
    std::atomic<int> stage = 0;
    int done = 0;
    std::thread other([&] {
        freehold::rcu_retire(&done, slow{&stage});
        while (stage == 0) freehold::rcu_retire(static_cast<int*>(nullptr), slow{&stage});
    });
    stage.wait(0);
    std::thread finish([&stage] {
        stage = 2;
        stage.notify_all();
    });
    freehold::rcu_barrier();
    EXPECT_EQ(done, 1);
    other.join();
    finish.join();
    freehold::rcu_barrier();
}

namespace {

// Effects: calls wait() while another thread has a region open for some time.
template <class Wait>
void expect_sleep_until_a_region_is_closed(Wait wait) {
    using namespace std::chrono_literals;
    std::latch is_open(1);
    std::atomic<bool> is_closed = false;
    std::thread reader([&] {
        const std::scoped_lock region(rcu_default_domain());
        is_open.count_down();
        std::this_thread::sleep_for(300ms);
        is_closed = true;
    });
    is_open.wait();
    const auto begin = cpu_time();
    wait();
    EXPECT_TRUE(is_closed.load());
    EXPECT_LT(cpu_time() - begin, 100ms);
    reader.join();
}

}  // namespace

TEST(rcu_domain, synchronize_sleeps_until_the_regions_are_closed) {
    expect_sleep_until_a_region_is_closed([] { freehold::rcu_synchronize(); });
}

TEST(rcu_domain, barrier_sleeps_until_the_regions_are_closed) {
    expect_sleep_until_a_region_is_closed([] {
        freehold::rcu_retire(new int);
        freehold::rcu_barrier();
    });
}

TEST(rcu_domain, regions_within_regions_end_with_the_outermost) {
    int alive = 0;
    {
        const std::scoped_lock outermost(rcu_default_domain());
        for (int depth = 0; depth != 1'000; ++depth) rcu_default_domain().lock();
        std::thread([&alive] { (new counted(alive))->retire(); }).join();
        for (int depth = 0; depth != 1'000; ++depth) rcu_default_domain().unlock();
        for (int i = 0; i != 100'000; ++i) freehold::rcu_retire(new int);
        EXPECT_EQ(alive, 1);
    }
    freehold::rcu_barrier();
    EXPECT_EQ(alive, 0);
}
