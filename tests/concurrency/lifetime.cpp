// Pointers whose end comes at an unusual time: with their thread, with the program, in a child process.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/tracked.hpp"

namespace {

struct object : support::tracked {
    int value = 0;
};

// Says on stderr that it ends.
struct announcing {
    explicit announcing(const char* who) : name(who) {}
    announcing(const announcing&) = delete;
    announcing& operator=(const announcing&) = delete;
    ~announcing() { std::fprintf(stderr, "%s ended\n", name); }

    const char* name;
};

// Constructed before anything uses the pool in its thread, so destroyed after the thread's cache was handed over.
thread_local freehold::shared_ptr<object> of_the_thread;

freehold::shared_ptr<announcing> of_the_program;
freehold::weak_ptr<announcing> weak_to_the_program;

class late_end : public support::tracked_test {};

}  // namespace

TEST_F(late_end, a_thread_local_owner_is_released_after_the_cache_of_its_thread) {
    for (int round = 1; round <= 50; ++round) {
        std::thread([] {
            of_the_thread = nullptr;
            of_the_thread = freehold::make_shared<object>();
        }).join();
        ASSERT_EQ(support::tracked::destroyed(), round);
    }
}

TEST_F(late_end, an_ending_thread_may_still_make_objects) {
    struct maker {
        ~maker() {
            for (int i = 0; i < 100; ++i) objects.push_back(freehold::make_shared<object>());
            objects.clear();
            freehold::make_shared<object>().reset();
        }
        std::vector<freehold::shared_ptr<object>> objects;
    };
    std::thread([] {
        thread_local maker late;
        late.objects.push_back(freehold::make_shared<object>());
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 102);
}

TEST_F(late_end, an_object_outlives_the_thread_that_made_it) {
    freehold::shared_ptr<object> p;
    std::thread([&] { p = freehold::make_shared<object>(); }).join();
    p->value = 7;
    const freehold::weak_ptr<object> watch = p;
    EXPECT_EQ(watch.lock()->value, 7);
}

TEST_F(late_end, a_thread_started_from_a_constructor_releases_what_was_made_before) {
    struct starting {
        explicit starting(const freehold::shared_ptr<object>& p) : worker([mine = p] { mine->value = 7; }) {}
        std::thread worker;
    };
    const auto p = freehold::make_shared<object>();
    starting(p).worker.join();
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(p->value, 7);
}

TEST(late_end_death, an_owner_with_static_storage_is_released_at_exit) {
    const auto exit_with_an_owner = [] {
        of_the_program = freehold::make_shared<announcing>("housed object");
        weak_to_the_program = of_the_program;
        std::exit(0);
    };
    EXPECT_EXIT(exit_with_an_owner(), testing::ExitedWithCode(0), "housed object ended");
}

TEST(late_end_death, an_owner_with_static_storage_is_released_at_exit_of_a_program_that_had_threads) {
    const auto exit_with_an_owner = [] {
        std::thread([] { of_the_program.reset(new announcing("object of a thread")); }).join();
        std::exit(0);
    };
    EXPECT_EXIT(exit_with_an_owner(), testing::ExitedWithCode(0), "object of a thread ended");
}

TEST_F(late_end, a_child_process_releases_what_its_parent_made) {
    auto p = freehold::make_shared<object>();
    auto copy = p;
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
        p.reset();
        copy.reset();
        const bool ended = support::tracked::destroyed() == 1 && freehold::make_shared<object>().use_count() == 1;
        _exit(ended ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(p.use_count(), 2) << "the parent keeps its own";
}
