// Owners of one object in several threads that count in shards: sharded_shared_ptr. Orders of the steps are tested in
// sharded_interleavings.cpp; here, under ThreadSanitizer, what they make visible, and threads that end and fork.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>

#include <thread>
#include <utility>

#include "support/key_destructor.hpp"
#include "support/summed_at_end.hpp"
#include "support/thread_state.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

namespace {

using object = support::summed_at_end;

constexpr int threads = object::writers;

using owner = freehold::sharded_shared_ptr<object>;
using weak = freehold::sharded_weak_ptr<object>;

owner make() { return freehold::make_sharded_shared<object>(); }

owner make_open() {
    owner made = make();
    EXPECT_TRUE(freehold::open_shards(made));
    return made;
}

class concurrent_sharded_owners : public support::tracked_test {
protected:
    void SetUp() override {
        support::tracked_test::SetUp();
        support::start_first_thread();
    }
};

thread_local owner of_the_thread;

}  // namespace

TEST_F(concurrent_sharded_owners, copies_made_and_released_in_several_threads_are_all_counted) {
    const owner p = make();
    support::in_threads(threads, [&p](int) {
        for (int round = 0; round < 5000; ++round) {
            owner copy = p;
            owner moved = std::move(copy);
            copy = moved;
            moved = copy;
        }
    });
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(concurrent_sharded_owners, what_one_thread_copies_another_may_release) {
    const owner p = make_open();
    owner copies[threads];
    for (int round = 0; round < 200; ++round) {
        support::in_threads(threads, [&](int i) { copies[i] = p; });
        support::in_threads(threads, [&](int i) { copies[(i + 1) % threads].reset(); });
    }
    EXPECT_EQ(p.use_count(), 1);
}

TEST_F(concurrent_sharded_owners, the_object_is_destroyed_once_and_after_all_writes) {
    for (int round = 0; round < 500; ++round) {
        owner owners[threads] = {make_open()};
        owners[0]->sum_at_end = threads;
        for (int i = 1; i < threads; ++i) owners[i] = owners[0];
        support::in_threads(threads, [&](int i) {
            owners[i]->values[i] = 1;
            owners[i].reset();
        });
        EXPECT_EQ(support::tracked::destroyed(), round + 1);
    }
}

TEST_F(concurrent_sharded_owners, shards_are_opened_while_others_copy_and_anchors_leave) {
    for (int round = 0; round < 500; ++round) {
        owner owners[threads] = {make()};
        for (int i = 1; i < threads; ++i) owners[i] = owners[0];
        support::in_threads(threads, [&](int i) {
            freehold::open_shards(owners[i]);
            const owner copy = owners[i];
            owners[i].reset();
        });
        EXPECT_EQ(support::tracked::destroyed(), round + 1);
    }
}

TEST_F(concurrent_sharded_owners, a_weak_pointer_finds_the_object_whole_or_nothing) {
    for (int round = 0; round < 500; ++round) {
        owner p = make_open();
        owner copy = p;
        const weak watch = p;
        support::in_threads(threads, [&](int i) {
            if (i == 0) return p.reset();
            if (i == 1) return copy.reset();
            if (const owner locked = watch.lock()) {
                EXPECT_EQ(locked->sum_at_end, 0);
            }
        });
        EXPECT_TRUE(watch.expired());
        EXPECT_EQ(support::tracked::destroyed(), round + 1);
    }
}

TEST_F(concurrent_sharded_owners, a_thread_local_copy_is_released_at_the_end_of_its_thread) {
    owner p = make_open();
    std::thread([&p] { of_the_thread = p; }).join();
    EXPECT_EQ(p.use_count(), 1);
    std::thread([copy = p, &p]() mutable {
        of_the_thread = std::move(copy);
        p.reset();
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(concurrent_sharded_owners, an_ending_thread_may_copy_for_the_first_time) {
    owner p = make_open();
    const support::key_destructor late([&p] {
        const owner copy = p;
        const owner other = owner(copy);
        EXPECT_EQ(p.use_count(), 3);
    });
    std::thread([&late] { late.arm(); }).join();
    EXPECT_EQ(p.use_count(), 1);
}

TEST_F(concurrent_sharded_owners, threads_come_and_go) {
    const owner p = make();
    for (int i = 0; i < 300; ++i) {
        std::thread([&p] { const owner copy = p; }).join();
    }
    EXPECT_EQ(p.use_count(), 1);
}

TEST_F(concurrent_sharded_owners, a_child_of_fork_counts_on) {
    owner p = make_open();
    owner copy = p;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const owner again = copy;
        p.reset();
        copy.reset();
        _exit(again.use_count() == 1 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(p.use_count(), 2);
}

namespace {

// Released when the program ends, after the threads and other variables of static duration.
owner& never_released_before_the_end() {
    static owner kept = freehold::make_sharded_shared<object>();
    return kept;
}

}  // namespace

TEST(sharded_owner, of_static_duration_is_released_at_the_end) {
    support::start_first_thread();
    owner& kept = never_released_before_the_end();
    freehold::open_shards(kept);
    support::in_threads(threads, [&kept](int) { of_the_thread = kept; });
    static owner copy = kept;
    kept.reset();
    EXPECT_EQ(copy.use_count(), 1);
}
