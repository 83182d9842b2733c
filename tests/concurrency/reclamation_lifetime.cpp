// Hazard pointers and RCU in the child of a fork, and after main().

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/child.hpp"
#include "support/thread_sanitizer.hpp"

namespace {

std::atomic<long> alive = 0;

template <class Base>
struct counted : Base {
    counted() { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() {
        value = 0;
        --alive;
    }

    int value = 1;
};

struct object : counted<freehold::hazard_pointer_obj_base<object>> {};
struct rcu_object : counted<freehold::rcu_obj_base<rcu_object>> {};

// Effects: reads and replaces objects in several threads. Returns: whether all that was read was alive.
bool stress(int rounds) {
    std::atomic<object*> current = new object;
    std::atomic<rcu_object*> rcu_current = new rcu_object;
    std::atomic<bool> is_done = false;
    std::atomic<bool> all_alive = true;
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
        readers.emplace_back([&] {
            freehold::hazard_pointer h = freehold::make_hazard_pointer();
            while (!is_done.load(std::memory_order_relaxed)) {
                if (h.protect(current)->value != 1) all_alive = false;
                const std::scoped_lock region(freehold::rcu_default_domain());
                if (rcu_current.load(std::memory_order_acquire)->value != 1) all_alive = false;
            }
        });
    }
    for (int i = 0; i < rounds; ++i) {
        current.exchange(new object)->retire();
        rcu_current.exchange(new rcu_object)->retire();
    }
    is_done = true;
    for (std::thread& reader : readers) reader.join();
    current.exchange(nullptr)->retire();
    rcu_current.exchange(nullptr)->retire();
    freehold::hazard_pointer_clean_up();
    freehold::rcu_barrier();
    return all_alive && alive == 0;
}

[[maybe_unused]] bool is_asymmetric() {
    return freehold::detail::hazard_pointers::shards.readers.fence.is_asymmetric();
}

// Nothing is destroyed before or after main(), in whatever order.
static_assert(std::is_trivially_destructible_v<freehold::detail::hazard_pointers::shards_type>);
static_assert(std::is_trivially_destructible_v<freehold::detail::rcu_thread::shards_type>);

struct uses_both_at_the_end {
    uses_both_at_the_end() = default;
    uses_both_at_the_end(const uses_both_at_the_end&) = delete;
    uses_both_at_the_end& operator=(const uses_both_at_the_end&) = delete;
    ~uses_both_at_the_end() {
        if (!stress(100)) std::abort();
    }
} before_any_use;

}  // namespace

TEST(reclamation_lifetime, both_work_in_a_child_that_was_forked_while_other_threads_retire) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "a child of several threads cannot start threads under ThreadSanitizer";
#endif
    static_cast<void>(stress(1));  // a fork must not interrupt the first use
    std::atomic<bool> is_done = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&is_done] {
            while (!is_done.load(std::memory_order_relaxed)) {
                for (int k = 0; k < 100; ++k) {
                    (new object)->retire();
                    (new rcu_object)->retire();
                }
                // The forks are in regions and out of them. Rests bound what is retired while one is open.
                const std::scoped_lock region(freehold::rcu_default_domain());
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
        });
    }
    for (int i = 0; i < 20; ++i) {
        const int status = support::in_child([] {
            alive = 0;
            std::atomic<object*> current = new object;
            freehold::hazard_pointer h = freehold::make_hazard_pointer();
            static_cast<void>(h.protect(current));
            current.load()->retire();
            for (int k = 0; k < 1000; ++k) (new rcu_object)->retire();
            freehold::rcu_barrier();
            freehold::hazard_pointer_clean_up();
            return current.load()->value == 1 ? 0 : 1;
        });
        ASSERT_EQ(status, 0) << i;
    }
    is_done = true;
    for (std::thread& thread : threads) thread.join();
    freehold::hazard_pointer_clean_up();
    freehold::rcu_barrier();
    EXPECT_EQ(alive, 0);
}

TEST(reclamation_lifetime, a_child_does_not_wait_for_a_deleter_that_runs_in_another_thread) {
    std::atomic<int> stage = 0;
    const auto wait = [&stage](rcu_object* retired) {
        delete retired;
        if (stage.exchange(1) != 0) return;
        stage.notify_all();
        stage.wait(1);
    };
    std::thread other([&] {
        while (stage == 0) freehold::rcu_retire(new rcu_object, wait);
    });
    stage.wait(0);
    const int status = support::in_child([] {
        freehold::rcu_barrier();
        return 0;
    });
    stage = 2;
    stage.notify_all();
    other.join();
    freehold::rcu_barrier();
    EXPECT_EQ(status, 0);
    EXPECT_EQ(alive, 0);
}

TEST(reclamation_lifetime, a_child_does_not_wait_for_another_thread_that_was_reclaiming_all) {
    std::atomic<int> stage = 0;
    std::thread other([&stage] {
        freehold::rcu_retire(new rcu_object, [&stage](rcu_object* retired) {
            delete retired;
            stage = 1;
            stage.notify_all();
            stage.wait(1);
        });
        freehold::rcu_barrier();
    });
    stage.wait(0);
    const int status = support::in_child([] {
        freehold::rcu_barrier();
        return 0;
    });
    stage = 2;
    stage.notify_all();
    other.join();
    EXPECT_EQ(status, 0);
    EXPECT_EQ(alive, 0);
}

// As of a thread without memory for a slot.
TEST(reclamation_lifetime, a_child_does_not_wait_for_a_region_that_another_thread_had_open_without_a_slot) {
    auto& readers = freehold::detail::rcu_thread::shards.readers;
    freehold::rcu_retire(new rcu_object);  // from now on, forks are known
    freehold::rcu_barrier();
    readers.open_without_slot();
    const int status = support::in_child([] {
        freehold::rcu_synchronize();
        return 0;
    });
    readers.close_without_slot();
    EXPECT_EQ(status, 0);
}

TEST(reclamation_lifetime, a_child_has_the_region_that_its_thread_had_open) {
    rcu_object* const retired = new rcu_object;
    const std::scoped_lock region(freehold::rcu_default_domain());
    const int status = support::in_child([retired] {
        retired->retire();
        for (int i = 0; i < 100'000; ++i) (new rcu_object)->retire();
        return retired->value == 1 ? 0 : 1;
    });
    delete retired;
    EXPECT_EQ(status, 0);
}

TEST(reclamation_lifetime, a_deleter_may_fork) {
    pid_t child = -1;
    freehold::rcu_retire(new rcu_object, [&child](rcu_object* retired) {
        child = fork();
        if (child == 0) support::set_deadline();
        delete retired;
        (new rcu_object)->retire();
    });
    freehold::rcu_barrier();
    for (int i = 0; i < 1000; ++i) (new rcu_object)->retire();
    freehold::rcu_barrier();
    if (child == 0) _exit(alive == 0 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(alive, 0);
}

TEST(reclamation_lifetime, readers_pay_no_fence) {
#ifndef THREAD_SANITIZER
    static_cast<void>(freehold::make_hazard_pointer());
    EXPECT_TRUE(is_asymmetric());
#endif
    EXPECT_TRUE(stress(20'000));
}
