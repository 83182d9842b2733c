// Owners of one object in several threads that count in different ways: biased_shared_ptr. The memory model is checked
// in memory_model/biased_counts.cpp; here the threads are real.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/pointers/biased_shared_ptr.hpp>

#include <array>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "support/key_destructor.hpp"
#include "support/relaxed_flag.hpp"
#include "support/summed_at_end.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

namespace {

using object = support::summed_at_end;

constexpr int threads = object::writers;

using owner = freehold::biased_shared_ptr<object>;
using weak = freehold::biased_weak_ptr<object>;

owner make() { return freehold::make_biased_shared<object>(); }

struct with_last_words : support::tracked {
    ~with_last_words() { last_words(); }

    std::function<void()> last_words;
};

class concurrent_biased_owners : public support::tracked_test {
protected:
    void TearDown() override {
        freehold::merge_biased_counts();
        support::tracked_test::TearDown();
    }
};

}  // namespace

TEST_F(concurrent_biased_owners, copies_made_and_released_in_several_threads_are_all_counted) {
    const owner p = make();
    support::in_threads(threads, [mine = p](int) {
        for (int round = 0; round < 5000; ++round) {
            owner copy = mine;
            owner moved = std::move(copy);
            copy = moved;
            moved = copy;
        }
    });
    freehold::merge_biased_counts();
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(concurrent_biased_owners, the_maker_copies_while_others_do) {
    owner p = make();
    std::thread other([mine = p] {
        for (int round = 0; round < 20000; ++round) owner(mine).reset();
    });
    for (int round = 0; round < 20000; ++round) owner(p).reset();
    other.join();
    freehold::merge_biased_counts();
    EXPECT_EQ(p.use_count(), 1);
}

TEST_F(concurrent_biased_owners, the_object_is_destroyed_once_and_after_all_writes) {
    for (int round = 0; round < 500; ++round) {
        owner owners[threads] = {make()};
        owners[0]->sum_at_end = threads;
        for (int i = 1; i < threads; ++i) owners[i] = owners[0];
        support::in_threads(threads - 1, [&](int i) {
            owners[i]->values[i] = 1;
            owners[i].reset();
        });
        owners[threads - 1]->values[threads - 1] = 1;
        owners[threads - 1].reset();
        freehold::merge_biased_counts();
        ASSERT_EQ(support::tracked::destroyed(), round + 1);
    }
}

TEST_F(concurrent_biased_owners, the_maker_may_end_before_during_or_after_the_others) {
    for (int round = 0; round < 500; ++round) {
        owner owners[threads];
        support::relaxed_flag made;
        std::mutex handing_over;
        std::thread maker([&] {
            const owner first = make();
            first->sum_at_end = threads - 1;
            const std::lock_guard lock(handing_over);
            for (owner& each : owners) each = first;
            made.raise();
        });
        made.wait();
        support::in_threads(threads, [&](int i) {
            {
                const std::lock_guard lock(handing_over);
            }
            if (i > 0) owners[i]->values[i] = 1;
            owners[i].reset();
        });
        maker.join();
        ASSERT_EQ(support::tracked::destroyed(), round + 1);
    }
}

TEST_F(concurrent_biased_owners, objects_go_round_among_threads_that_all_make_some) {
    constexpr int rounds = 300;
    std::mutex exchange;
    std::array<owner, 16> shelf;
    support::in_threads(threads, [&](int i) {
        for (int round = 0; round < rounds; ++round) {
            owner mine = make();
            {
                const std::lock_guard lock(exchange);
                std::swap(mine, shelf[static_cast<std::size_t>(i * 7 + round) % shelf.size()]);
            }
            const weak watch = mine;
            const owner copy = mine;
            mine.reset();
            EXPECT_EQ(watch.lock(), copy);
        }
    });
    shelf.fill(nullptr);
    freehold::merge_biased_counts();
    EXPECT_EQ(support::tracked::destroyed(), threads * rounds);
}

TEST_F(concurrent_biased_owners, lock_racing_with_the_last_release_gives_a_living_object_or_nothing) {
    for (int round = 0; round < 500; ++round) {
        owner last = make();
        const weak watch = last;
        support::in_threads(3, [&](int i) {
            if (i == 0) return last.reset();
            const weak mine = watch;
            for (int attempt = 0; attempt < 10; ++attempt) {
                if (const owner locked = mine.lock()) {
                    ASSERT_EQ(locked->sum_at_end, 0);
                    ASSERT_GE(locked.use_count(), 1);
                }
            }
        });
        freehold::merge_biased_counts();
        ASSERT_TRUE(watch.expired());
        ASSERT_EQ(support::tracked::destroyed(), round + 1);
    }
}

TEST_F(concurrent_biased_owners, the_maker_locks_and_merges_while_others_release) {
    for (int round = 0; round < 500; ++round) {
        owner last = make();
        const weak watch = last;
        std::thread other([theirs = std::move(last)]() mutable { theirs.reset(); });
        for (int attempt = 0; attempt < 10; ++attempt) {
            if (const owner locked = watch.lock()) {
                ASSERT_EQ(locked->sum_at_end, 0);
            }
            freehold::merge_biased_counts();
        }
        other.join();
        freehold::merge_biased_counts();
        ASSERT_TRUE(watch.expired());
    }
}

TEST_F(concurrent_biased_owners, a_thread_leaves_and_takes_its_bias_while_others_release) {
    for (int round = 0; round < 500; ++round) {
        std::vector<owner> owners;
        for (int i = 0; i < 8; ++i) owners.push_back(make());
        std::thread other([theirs = owners]() mutable { theirs.clear(); });
        for (owner& each : owners) {
            freehold::leave_biased_counts();
            each.reset();
            const owner next = make();
        }
        other.join();
        freehold::merge_biased_counts();
        ASSERT_EQ(support::tracked::alive(), 0);
    }
}

// From here on the order of events is fixed, and ThreadSanitizer tells whether it is seen: relaxed_flag orders nothing.

TEST_F(concurrent_biased_owners, the_maker_sees_what_another_wrote_before_it_left) {
    support::relaxed_flag left;
    owner mine = make();
    std::thread other([&, theirs = mine]() mutable {
        theirs->values[0] = 1;
        theirs->sum_at_end = 1;
        theirs.reset();
        left.raise();
    });
    left.wait();
    freehold::merge_biased_counts();
    mine.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    other.join();
}

TEST_F(concurrent_biased_owners, the_maker_that_is_last_without_a_merge_sees_what_another_wrote) {
    support::relaxed_flag left;
    owner mine = make();
    std::thread other([&, watch = weak(mine)]() mutable {
        owner theirs = watch.lock();  // counted where the others count
        watch.reset();
        theirs->values[0] = 1;
        theirs->sum_at_end = 1;
        theirs.reset();
        left.raise();
    });
    left.wait();
    mine.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    other.join();
}

TEST_F(concurrent_biased_owners, the_thread_that_replaces_the_maker_sees_what_it_wrote) {
    support::relaxed_flag left;
    owner mine;
    std::mutex handing_over;
    std::thread maker([&] {
        owner first = make();
        {
            const std::lock_guard lock(handing_over);
            mine = first;
        }
        first->values[0] = 1;
        first->sum_at_end = 1;
        first.reset();
        freehold::leave_biased_counts();
        left.raise();
    });
    left.wait();
    {
        const std::lock_guard lock(handing_over);
    }
    mine.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    maker.join();
}

TEST_F(concurrent_biased_owners, the_destruction_of_a_merged_object_sees_what_the_maker_wrote) {
    support::relaxed_flag left;
    owner mine = make();
    std::thread other([&, watch = weak(mine)]() mutable {
        owner theirs = watch.lock();
        watch.reset();
        left.raise();
        while (theirs.use_count() != 1) std::this_thread::yield();
        theirs.reset();
    });
    left.wait();
    mine->values[0] = 1;
    mine->sum_at_end = 1;
    mine.reset();
    other.join();
    // The maker destroys it if the other thread releases between the maker's two steps.
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(concurrent_biased_owners, the_maker_that_locks_sees_what_an_owner_wrote_before_it_left) {
    support::relaxed_flag left;
    const owner keeper = make();
    const weak watch = keeper;
    std::thread other([&] {
        owner theirs = keeper;
        theirs->values[0] = 1;
        theirs->sum_at_end = 1;
        theirs.reset();
        left.raise();
    });
    left.wait();
    EXPECT_EQ(watch.lock()->values[0], 1);
    other.join();
}

TEST_F(concurrent_biased_owners, a_child_process_releases_what_its_only_thread_made) {
    owner p = make();
    owner copy = p;
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        p.reset();
        copy.reset();
        _exit(support::tracked::destroyed() == 1 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(p.use_count(), 2) << "the parent keeps its own";
}

TEST_F(concurrent_biased_owners, what_a_destructor_makes_at_the_end_of_its_thread_is_not_biased_for_ever) {
    owner made_at_the_end;
    freehold::biased_shared_ptr<with_last_words> queued;
    support::relaxed_flag made;
    support::relaxed_flag released;
    std::mutex handing_over;
    std::thread maker([&] {
        {
            const std::lock_guard lock(handing_over);
            queued = freehold::make_biased_shared<with_last_words>();
            queued->last_words = [&] { made_at_the_end = make(); };
        }
        made.raise();
        released.wait();
        // It is destroyed when this thread leaves its bias.
    });
    made.wait();
    {
        const std::lock_guard lock(handing_over);
        queued.reset();
    }
    EXPECT_EQ(support::tracked::destroyed(), 0);
    released.raise();
    maker.join();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    made_at_the_end.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(concurrent_biased_owners, what_is_made_in_the_destructor_of_a_key_is_not_biased_for_ever) {
    make().reset();
    owner made_late;
    const support::key_destructor late([&] { made_late = make(); });
    std::thread([&] { late.arm(); }).join();
    made_late.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(concurrent_biased_owners, what_is_made_in_the_last_destructor_of_a_process_without_keys_is_not_biased_for_ever) {
    owner made_late;
    const support::key_destructor late([&] { made_late = make(); });
    std::vector<pthread_key_t> keys;
    for (pthread_key_t key{}; pthread_key_create(&key, nullptr) == 0;) keys.push_back(key);
    std::thread([&] { late.arm(); }).join();
    for (const pthread_key_t key : keys) pthread_key_delete(key);
    made_late.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}
