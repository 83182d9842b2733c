// Biased counting under the checker: an object is destroyed once, its block is freed once and later, a destroyed object
// is never owned again, what owners did to it happens before its end, and no thread waits for ever, whichever thread
// releases or exits first.

#include <gtest/gtest.h>

#include "support/checked_counting.hpp"
// After the names of the builtins.
#include <freehold/counting/biased_counting.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/make_shared_with_weak.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <array>
#include <barrier>
#include <cstddef>
#include <thread>
#include <utility>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"
#include "support/recorded_block.hpp"

namespace {

using support::for_every_execution;
using support::history;
using support::record_end;
using support::recording_allocator;

struct checked : support::checked_counting {
    using word_counting = support::checked_counting;

    static constexpr bool is_biased = true;
};

using owner = freehold::shared_ptr<int, checked>;
using weak = freehold::weak_ptr<int, checked>;
using count = freehold::shared_count<checked>;

// An object that a thread made and left: the scenario's threads may take its place, or stand in for it.
struct scenario {
    explicit scenario(int owners) {
        EXPECT_TRUE(has_biases());
        first = owner(&object, record_end{&past}, recording_allocator<int>(past));
        if (owners > 1) second = first;
        watch = first;
        end_thread();
    }

    // Effects: makes as many biases as a scenario needs. They are never freed: so each execution finds as many.
    static bool has_biases() {
        static const bool made = make_biases();
        return made;
    }

    static bool make_biases() {
        std::array<std::thread, 4> makers;
        std::barrier all_have_one(makers.size());
        for (std::thread& each : makers) {
            each = std::thread([&all_have_one] {
                take_over();
                all_have_one.arrive_and_wait();
            });
        }
        for (std::thread& each : makers) each.join();
        return true;
    }

    // Effects: the calling thread counts apart what the maker did, if no other thread does.
    static void take_over() { const count made; }

    // Effects: does what the exit of a thread does.
    static void end_thread() { count::leave_thread(); }

    // Returns: an owner of an object that is not destroyed, or none.
    owner lock() {
        owner locked = watch.lock();
        if (locked) use();
        return locked;
    }

    // Effects: does what an owner does to the object.
    void use() {
        EXPECT_EQ(past.ended, 0);
        support::has_read(&object);
    }

    void check() const {
        EXPECT_EQ(past.ended, 1) << "it has no owner, and all threads have exited";
        EXPECT_EQ(past.freed, 1);
    }

    history past;
    int object = 0;
    owner first;
    owner second;
    weak watch;
};

struct the_last_release_elsewhere_and_the_end_of_the_maker : scenario {
    static constexpr std::size_t threads = 2;

    the_last_release_elsewhere_and_the_end_of_the_maker() : scenario(1) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            use();
            return first.reset();
        }
        take_over();
        end_thread();
    }
};

struct releases_of_the_maker_and_another : scenario {
    static constexpr std::size_t threads = 2;

    releases_of_the_maker_and_another() : scenario(2) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            use();
            return second.reset();
        }
        take_over();
        use();
        first.reset();
        end_thread();
    }
};

struct releases_of_the_maker_and_two_others : scenario {
    static constexpr std::size_t threads = 3;

    releases_of_the_maker_and_two_others() : scenario(2) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            use();
            return second.reset();
        }
        if (thread == 2) {
            use();
            return third.reset();
        }
        take_over();
        use();
        first.reset();
        end_thread();
    }

    owner third = first;
};

// The maker has nothing to do with the object any more: of two others, the second may come before the first has queued.
struct releases_of_two_others_and_the_end_of_the_maker : scenario {
    static constexpr std::size_t threads = 3;

    releases_of_two_others_and_the_end_of_the_maker() : scenario(2) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread != 0) {
            use();
            return (thread == 1 ? first : second).reset();
        }
        take_over();
        end_thread();
    }
};

struct copies_elsewhere_while_the_maker_releases : scenario {
    static constexpr std::size_t threads = 2;

    copies_elsewhere_while_the_maker_releases() : scenario(2) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            owner copy = second;
            second.reset();
            return copy.reset();
        }
        take_over();
        use();
        first.reset();
        end_thread();
    }
};

struct copies_of_the_maker_while_another_releases : scenario {
    static constexpr std::size_t threads = 2;

    copies_of_the_maker_while_another_releases() : scenario(2) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            use();
            return second.reset();
        }
        take_over();
        owner copy = first;
        first.reset();
        copy.reset();
        end_thread();
    }
};

struct the_maker_merges_while_another_releases : scenario {
    static constexpr std::size_t threads = 2;

    the_maker_merges_while_another_releases() : scenario(2) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            use();
            return second.reset();
        }
        take_over();
        freehold::detail::access::handle(first).block()->merge();
        first.reset();
        end_thread();
    }
};

struct the_maker_locks_what_another_releases : scenario {
    static constexpr std::size_t threads = 2;

    the_maker_locks_what_another_releases() : scenario(1) {}

    void run(std::size_t thread) {
        if (thread == 1) {
            use();
            return first.reset();
        }
        take_over();
        lock().reset();
        watch.reset();
        end_thread();
    }
};

struct another_locks_what_the_maker_releases : scenario {
    static constexpr std::size_t threads = 2;

    another_locks_what_the_maker_releases() : scenario(1) {}

    void run(std::size_t thread) {
        if (thread == 1) {
            lock().reset();
            return watch.reset();
        }
        take_over();
        use();
        first.reset();
        end_thread();
    }
};

struct a_third_locks_what_another_releases_while_the_maker_ends : scenario {
    static constexpr std::size_t threads = 3;

    a_third_locks_what_another_releases_while_the_maker_ends() : scenario(1) {}

    void run(std::size_t thread) {
        if (thread == 1) {
            use();
            return first.reset();
        }
        if (thread == 2) {
            lock().reset();
            return watch.reset();
        }
        take_over();
        end_thread();
    }
};

// Effects: destroys the object if `last` is its only owner.
void unwrap(owner& last) {
    auto* const block = freehold::detail::access::handle(last).block();
    if (!block->try_expire()) return;
    (void)freehold::detail::access::release(last);
    block->destroy_keeping_block();
}

struct the_maker_unwraps_while_another_locks : scenario {
    static constexpr std::size_t threads = 2;

    the_maker_unwraps_while_another_locks() : scenario(1) {}

    void run(std::size_t thread) {
        if (thread == 1) {
            lock().reset();
            return watch.reset();
        }
        take_over();
        unwrap(first);
        first.reset();
        end_thread();
    }
};

struct two_others_unwrap_while_the_maker_ends : scenario {
    static constexpr std::size_t threads = 3;

    two_others_unwrap_while_the_maker_ends() : scenario(2) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread != 0) {
            owner& mine = thread == 1 ? first : second;
            unwrap(mine);
            return mine.reset();
        }
        take_over();
        end_thread();
    }
};

struct the_maker_releases_while_another_unwraps : scenario {
    static constexpr std::size_t threads = 2;

    the_maker_releases_while_another_unwraps() : scenario(2) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            unwrap(second);
            return second.reset();
        }
        take_over();
        use();
        first.reset();
        end_thread();
    }
};

// The maker releases more than it took before an object that is being queued has come.
struct a_third_gives_an_owner_to_the_maker_while_another_queues : scenario {
    static constexpr std::size_t threads = 3;

    a_third_gives_an_owner_to_the_maker_while_another_queues() : scenario(2) {}

    void run(std::size_t thread) {
        if (thread == 1) {
            use();
            return second.reset();
        }
        if (thread == 2) {
            given = lock();
            return is_given.store(true, std::memory_order_release);
        }
        take_over();
        if (is_given.load(std::memory_order_acquire)) owner(std::move(given)).reset();
        first.reset();
        end_thread();
    }

    void check() {
        given.reset();
        watch.reset();
        scenario::check();
    }

    owner given;
    support::checked_atomic<bool> is_given = false;
};

// Two threads want the maker's place while a third, which releases the object, may stand in for it.
struct two_take_the_makers_place_while_a_third_releases : scenario {
    static constexpr std::size_t threads = 3;

    two_take_the_makers_place_while_a_third_releases() : scenario(1) { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 2) {
            use();
            return first.reset();
        }
        take_over();
        end_thread();
    }
};

// Two objects come to one inbox while its thread passes by.
struct two_objects_are_queued_while_the_maker_passes_by : scenario {
    static constexpr std::size_t threads = 3;

    two_objects_are_queued_while_the_maker_passes_by() : scenario(1) {
        watch.reset();

        other = owner(&other_object, record_end{&other_past}, recording_allocator<int>(other_past));
        end_thread();
    }

    void run(std::size_t thread) {
        if (thread != 0) return (thread == 1 ? first : other).reset();
        take_over();
        count::merge_queued();
        end_thread();
    }

    void check() const {
        scenario::check();
        EXPECT_EQ(other_past.ended, 1);
        EXPECT_EQ(other_past.freed, 1);
    }

    history other_past;
    int other_object = 0;
    owner other;
};

struct another_locks_an_object_as_it_begins {
    static constexpr std::size_t threads = 2;

    struct node : freehold::enable_shared_from_this<node, checked> {
        explicit node(int& target) : ended(&target) {}
        node(const node&) = delete;
        node& operator=(const node&) = delete;
        ~node() { ++*ended; }

        int* ended;
    };

    another_locks_an_object_as_it_begins() { EXPECT_TRUE(scenario::has_biases()); }

    void run(std::size_t thread) {
        if (thread == 1) {
            if (!is_published.load(std::memory_order_acquire)) return;
            if (const auto locked = watch.lock()) {
                EXPECT_EQ(ended, 0);
                EXPECT_EQ(locked->weak_from_this().lock(), locked);
            }
            return;
        }
        freehold::make_shared_with_weak<node, checked>([this](const freehold::weak_ptr<node, checked>& self) {
            watch = self;
            is_published.store(true, std::memory_order_release);
            return node(ended);
        }).reset();
        count::leave_thread();
    }

    void check() const { EXPECT_EQ(ended, 1); }

    int ended = 0;
    freehold::weak_ptr<node, checked> watch;
    support::checked_atomic<bool> is_published = false;
};

// The end of an object waits for that of another one, which a second thread releases meanwhile. Both threads take the
// place of the maker: none keeps it while it destroys.
struct the_end_of_an_object_waits_for_another : scenario {
    static constexpr std::size_t threads = 2;

    the_end_of_an_object_waits_for_another() : scenario(1) {
        watch.reset();
        first.reset();
        past = {};
        first = owner(
            &object,
            [this](int*) {
                ++past.ended;
                has_begun.store(true, std::memory_order_relaxed);
                while (!is_ended.load(std::memory_order_relaxed)) {
                }
            },
            recording_allocator<int>(past));
        second = owner(
            &object,
            [this](int*) {
                ++other_past.ended;
                is_ended.store(true, std::memory_order_relaxed);
            },
            recording_allocator<int>(other_past));
        end_thread();
    }

    void run(std::size_t thread) {
        if (thread == 0) return first.reset();
        while (!has_begun.load(std::memory_order_relaxed)) {
        }
        second.reset();
    }

    history other_past;
    support::checked_atomic<bool> has_begun = false;
    support::checked_atomic<bool> is_ended = false;
};

// Two threads at once make the first biases of their own. No bias is ever freed, so no two executions are alike.
struct two_threads_make_biases {
    static constexpr std::size_t threads = 2;

    struct no_count {};
    using bias = freehold::detail::thread_bias<no_count, support::checked_threading>;

    void run(std::size_t) {
        EXPECT_NE(bias::take(), nullptr);
        made.fetch_add(1, std::memory_order_relaxed);
    }

    void check() const { EXPECT_EQ(made.load(), 2); }

    support::checked_atomic<int> made = 0;
};

// All would be too many: for two threads, and for three.
constexpr support::bounds some{.interruptions = 2, .surprises = 1};
constexpr support::bounds few{.interruptions = 2, .surprises = 1, .steps_after = false};

}  // namespace

TEST(checked_biased_counts, the_last_release_elsewhere_and_the_end_of_the_maker) {
    EXPECT_GT(for_every_execution<the_last_release_elsewhere_and_the_end_of_the_maker>(some), 100);
}

TEST(checked_biased_counts, the_releases_of_the_maker_and_another) {
    EXPECT_GT(for_every_execution<releases_of_the_maker_and_another>(some), 100);
}

TEST(checked_biased_counts, the_releases_of_the_maker_and_two_others) {
    EXPECT_GT(for_every_execution<releases_of_the_maker_and_two_others>(few), 100);
}

TEST(checked_biased_counts, the_releases_of_two_others_and_the_end_of_the_maker) {
    EXPECT_GT(for_every_execution<releases_of_two_others_and_the_end_of_the_maker>(few), 100);
}

TEST(checked_biased_counts, copies_elsewhere_while_the_maker_releases) {
    EXPECT_GT(for_every_execution<copies_elsewhere_while_the_maker_releases>(some), 100);
}

TEST(checked_biased_counts, copies_of_the_maker_while_another_releases) {
    EXPECT_GT(for_every_execution<copies_of_the_maker_while_another_releases>(some), 100);
}

TEST(checked_biased_counts, the_maker_merges_while_another_releases) {
    EXPECT_GT(for_every_execution<the_maker_merges_while_another_releases>(some), 100);
}

TEST(checked_biased_counts, the_maker_locks_what_another_releases) {
    EXPECT_GT(for_every_execution<the_maker_locks_what_another_releases>(some), 100);
}

TEST(checked_biased_counts, another_locks_what_the_maker_releases) {
    EXPECT_GT(for_every_execution<another_locks_what_the_maker_releases>(some), 100);
}

TEST(checked_biased_counts, a_third_locks_what_another_releases_while_the_maker_ends) {
    EXPECT_GT(for_every_execution<a_third_locks_what_another_releases_while_the_maker_ends>(few), 100);
}

TEST(checked_biased_counts, the_maker_unwraps_while_another_locks) {
    EXPECT_GT(for_every_execution<the_maker_unwraps_while_another_locks>(some), 100);
}

TEST(checked_biased_counts, two_others_unwrap_while_the_maker_ends) {
    EXPECT_GT(for_every_execution<two_others_unwrap_while_the_maker_ends>(few), 100);
}

TEST(checked_biased_counts, the_maker_releases_while_another_unwraps) {
    EXPECT_GT(for_every_execution<the_maker_releases_while_another_unwraps>(some), 100);
}

TEST(checked_biased_counts, a_third_gives_an_owner_to_the_maker_while_another_queues) {
    EXPECT_GT(for_every_execution<a_third_gives_an_owner_to_the_maker_while_another_queues>(few), 100);
}

TEST(checked_biased_counts, two_take_the_makers_place_while_a_third_releases) {
    EXPECT_GT(for_every_execution<two_take_the_makers_place_while_a_third_releases>(few), 100);
}

TEST(checked_biased_counts, two_objects_are_queued_while_the_maker_passes_by) {
    EXPECT_GT(for_every_execution<two_objects_are_queued_while_the_maker_passes_by>(few), 100);
}

TEST(checked_biased_counts, another_locks_an_object_as_it_begins) {
    EXPECT_GT(for_every_execution<another_locks_an_object_as_it_begins>(few), 100);
}

TEST(checked_biased_counts, two_threads_make_biases_at_once) {
    support::for_random_executions<two_threads_make_biases>(60, 1, {});
}

TEST(checked_biased_counts, the_end_of_an_object_waits_for_that_of_another) {
    EXPECT_GT(for_every_execution<the_end_of_an_object_waits_for_another>({.interruptions = 1, .surprises = 0}), 5);
}
