// What Freehold's handlers of a fork do, and a program's own, which may allocate while Freehold's hold its mutexes:
// those that were registered before Freehold's run inside of them.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/detail/static_mutex.hpp>
#include <freehold/memory/page_cache.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <list>
#include <memory>
#include <memory_resource>
#include <set>
#include <thread>
#include <vector>

#include "support/deadline.hpp"
#include "support/thread_sanitizer.hpp"

namespace {

bool forks_within = false;
bool is_busy = false;  // otherwise the handlers are for the forks of other tests

freehold::concurrent_pool_resource& resource() {
    static freehold::concurrent_pool_resource made;
    return made;
}

struct node {
    std::byte bytes[100];
    freehold::shared_ptr<node> next;
};

// Effects: takes every mutex that an allocation can: a new slab of each pool, a large block, a slab of pages.
void allocate() {
    if (!is_busy) return;
    std::pmr::list<node> nodes(&resource());
    nodes.resize(2000);
    for (node& each : nodes) each.next = freehold::make_shared<node>();
    resource().deallocate(resource().allocate(100'000), 100'000);
    freehold::page_cache& pages = freehold::page_cache::shared();
    pages.deallocate(pages.allocate(100'000), 100'000);
}

// Effects: a child that a handler forks, within the fork of the handler's own process, allocates.
void fork_within() {
    if (!forks_within) return;
    forks_within = false;
    const pid_t child = fork();
    if (child == 0) return;  // to where the outer fork was called, as a child of the child
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) _exit(2);
}

// Effects: forks while another thread holds the mutex. Returns: the status of a child that locks it.
int forked_while_held(freehold::detail::static_mutex& mutex) {
    std::latch held(1);
    std::latch forked(1);
    std::thread holder([&] {
        {
            const freehold::detail::static_lock lock(mutex);
            held.count_down();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));  // a fork that does not wait comes meanwhile
        }
        forked.wait();
    });
    held.wait();
    const pid_t child = fork();
    if (child == 0) {
        support::set_deadline();
        const freehold::detail::static_lock lock(mutex);
        _exit(0);
    }
    forked.count_down();
    holder.join();
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

// Before any other static object, and so before Freehold's.
struct registration {
    registration() {
        pthread_atfork(&allocate, &allocate, &allocate);
        pthread_atfork(nullptr, nullptr, &fork_within);
    }
};
[[gnu::init_priority(101)]] const registration registered;

// Effects: waits for the child, and expects that it has returned 0.
void expect_success_of(pid_t child) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace

TEST(fork_handlers, a_child_finds_the_mutexes_unlocked) {
    freehold::detail::survive_fork();
    for (freehold::detail::static_mutex& each : freehold::detail::pool_mutexes) EXPECT_EQ(forked_while_held(each), 0);
}

TEST(fork_handlers, a_child_finds_the_mutex_of_the_registry_unlocked) {
    resource().deallocate(resource().allocate(64), 64);  // makes it
    freehold::detail::static_mutex* const registry = freehold::detail::registry_mutex.load();
    ASSERT_NE(registry, nullptr);
    EXPECT_EQ(forked_while_held(*registry), 0);
}

// The thread that forks holds it until the outer one is over.
TEST(fork_handlers, a_mutex_stays_locked_until_the_last_of_several_forks_is_over) {
    freehold::detail::static_mutex mutex;
    mutex.lock_for_fork();
    mutex.lock_for_fork();
    mutex.unlock_after_fork();
    std::atomic<bool> is_locked = false;
    std::thread other([&] {
        const freehold::detail::static_lock lock(mutex);
        is_locked = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(is_locked);
    mutex.unlock_after_fork();
    other.join();
    EXPECT_TRUE(is_locked);
}

TEST(fork_handlers, a_handler_that_was_registered_before_may_allocate) {
    is_busy = true;
    allocate();
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        support::set_deadline();
        allocate();
        _exit(0);
    }
    allocate();
    expect_success_of(child);
    is_busy = false;
}

TEST(fork_handlers, a_handler_that_was_registered_before_may_fork) {
    resource().deallocate(resource().allocate(64), 64);
    forks_within = true;
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        support::set_deadline();
        resource().deallocate(resource().allocate(100'000), 100'000);
        _exit(0);
    }
    forks_within = false;
    expect_success_of(child);
}

// The heaps of the threads that the fork does not copy stay in lists whose memory these threads no longer have.
TEST(fork_handlers, a_resource_may_end_in_a_child_that_lacks_the_threads_which_used_it) {
    auto pool = std::make_unique<freehold::concurrent_pool_resource>();
    std::latch used(8);
    std::latch done(1);
    std::vector<std::thread> users;
    for (int i = 0; i < 8; ++i) {
        users.emplace_back([&] {
            pool->deallocate(pool->allocate(64), 64);
            used.count_down();
            done.wait();
        });
    }
    used.wait();
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
#ifndef THREAD_SANITIZER
        std::thread([] {}).join();  // the C library gives back the stacks of the threads that are gone
#endif
        pool.reset();
        _exit(0);
    }
    expect_success_of(child);
    done.count_down();
    for (std::thread& each : users) each.join();
}

// A thread claims one for a moment, if its own slots are taken. There are sixteen, and eight more for each eight that
// are claimed at once.
TEST(fork_handlers, the_slots_that_all_threads_share_are_free_in_a_child) {
    using freehold::detail::atomic_pointer_process;
    using freehold::detail::atomic_pointers;
    static_cast<void>(freehold::atomic_shared_ptr<int>().load());
    std::set<const void*> slots;
    std::latch claimed(1);
    std::latch done(1);
    std::thread other([&] {
        while (slots.size() < atomic_pointer_process::shared_slots + atomic_pointer_process::own_slots)
            slots.insert(&atomic_pointers.claim_shared());
        claimed.count_down();
        done.wait();
    });
    claimed.wait();
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (!slots.contains(&atomic_pointers.claim_shared())) _exit(1);
        }
        _exit(0);
    }
    expect_success_of(child);
    done.count_down();
    other.join();
}

// Another thread had claimed what a third one has deferred, and is not in the child.
TEST(fork_handlers, what_was_about_to_be_taken_over_from_an_ended_thread_is_released_in_a_child) {
    using freehold::detail::atomic_pointers;
    const auto p = freehold::make_shared<int>(7);
    freehold::atomic_shared_ptr<int> atomic(p);
    auto read = atomic.snapshot();
    freehold::detail::atomic_pointer_domain::record* ended = nullptr;
    std::thread([&] {
        atomic.store(nullptr);
        ended = atomic_pointers.own();
    }).join();
    ASSERT_EQ(p.use_count(), 2);
    ASSERT_TRUE(ended->claim());
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        read.reset();
        freehold::flush_deferred_releases();
        _exit(p.use_count() == 1 ? 0 : 1);
    }
    expect_success_of(child);
    ended->unclaim(atomic_pointers.barrier);
}

// Another thread was in the middle of a store, and is not in the child: what it has deferred is lost.
TEST(fork_handlers, a_flush_in_a_child_waits_for_no_thread_that_it_does_not_have) {
    using freehold::detail::atomic_pointers;
    std::latch begun(1);
    std::latch done(1);
    std::thread other([&] {
        freehold::detail::atomic_pointer_domain::record* const mine = atomic_pointers.own();
        EXPECT_TRUE(mine != nullptr && mine->begin(atomic_pointers.barrier));
        begun.count_down();
        done.wait();
        mine->end(atomic_pointers.barrier);
    });
    begun.wait();
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        alarm(60);  // a wait would be for ever
        static_cast<void>(freehold::flush_deferred_releases());
        _exit(0);
    }
    expect_success_of(child);
    done.count_down();
    other.join();
}
