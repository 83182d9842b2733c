// A shared heap of collected objects under the checker: an object ends once, with its last owner, its weak pointers
// expire before, what owners did to it happens before, and nobody waits for ever. It is the code that users run, from
// their pointers to the locks.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>

#include "support/checked_heap.hpp"
#include "support/checker.hpp"

namespace {

using support::checked_heap;
using support::for_every_execution;

template <class Object>
using pointer = checked_heap::pointer<Object>;
template <class Object>
using weak_pointer = checked_heap::weak_pointer<Object>;
using session = checked_heap::heap_type::session;

template <std::size_t bytes>
struct node_of {
    explicit node_of(int& target) : destroyed(&target) {}
    node_of(const node_of&) = delete;
    node_of& operator=(const node_of&) = delete;
    ~node_of() {
        ++*destroyed;
        support::wrote(this);
    }

    void trace(auto& visit) const { visit(next); }

    pointer<node_of> next;
    int* destroyed;
    std::array<std::byte, bytes> room;
};

using node = node_of<4000>;                          // few of them share a block, as a collection looks at all
using large_node = node_of<std::size_t{64} * 1024>;  // has a block of its own

// An object that the first session has made, with `counted` owners that it has counted and `beside` that another has.
// Each thread of a scenario has a session, the first one that which made the object.
template <class Object>
struct scenario_of {
    explicit scenario_of(std::size_t counted, std::size_t beside = 0) {
        in_session(0, [&] {
            owner[0] = heap.heap.make<Object>(destroyed);
            for (std::size_t i = 1; i < counted; ++i) owner[i] = owner[0];
        });
        in_session(1, [&] {
            for (std::size_t i = counted; i < counted + beside; ++i) owner[i] = owner[0];
        });
    }

    // Effects: does what an owner does to the object.
    static void use(const pointer<Object>& owned) {
        if (owned) support::has_read(owned.get());
    }

    // Effects: calls work() as the thread does that has the i-th session.
    template <class Work>
    void in_session(std::size_t i, Work work) {
        heap.in_session(i, [&](session&) { work(); });
    }

    void drop(std::size_t thread, std::size_t i) {
        in_session(thread, [&] {
            use(owner[i]);
            owner[i].reset();
        });
    }

    void safepoint(std::size_t thread) {
        heap.in_session(thread, [](session& here) { here.safepoint(); });
    }

    // Returns: an owner of an object that is not destroyed and will not be in the next step, or none.
    pointer<Object> lock() {
        pointer<Object> locked = watch.lock();
        support::execution::pass();
        if (locked) {
            EXPECT_EQ(destroyed, 0) << "what a weak pointer locks is not destroyed";
            use(locked);
        }
        return locked;
    }

    void lock_and_drop(std::size_t thread) {
        in_session(thread, [&] { lock().reset(); });
    }

    void check() {
        heap.end_sessions();
        EXPECT_EQ(destroyed, 1) << "nobody owns it any more";
        EXPECT_TRUE(watch.expired());
    }

    checked_heap heap;
    int destroyed = 0;
    std::array<pointer<Object>, 3> owner;
    weak_pointer<Object> watch;
};

using scenario = scenario_of<node>;

struct all_drop_what_they_have_counted : scenario {
    static constexpr std::size_t threads = 3;

    all_drop_what_they_have_counted() : scenario(1, 2) {}

    void run(std::size_t thread) { drop(thread, thread); }
};

// Two owners were handed over.
struct others_drop_what_the_session_has_counted : scenario {
    static constexpr std::size_t threads = 3;

    others_drop_what_the_session_has_counted() : scenario(3) {}

    void run(std::size_t thread) {
        drop(thread, thread);
        if (thread == 0) safepoint(0);
    }

    void check() {
        safepoint(0);
        EXPECT_EQ(destroyed, 1) << "what was queued for a session is destroyed at its next safepoint";
        scenario::check();
    }
};

struct each_drops_what_the_other_has_counted : scenario {
    static constexpr std::size_t threads = 2;

    each_drops_what_the_other_has_counted() : scenario(1, 2) {}

    void run(std::size_t thread) {
        if (thread == 1) return drop(1, 0);
        drop(0, 1);
        drop(0, 2);
    }
};

template <class Object>
struct the_session_ends : scenario_of<Object> {
    static constexpr std::size_t threads = 2;

    the_session_ends() : scenario_of<Object>(2) {}

    void run(std::size_t thread) {
        if (thread == 0) return this->heap.end_session(0);
        this->drop(1, 0);
        this->drop(1, 1);
    }
};

struct the_session_drops_and_ends_while_another_copies : scenario {
    static constexpr std::size_t threads = 2;

    the_session_drops_and_ends_while_another_copies() : scenario(2) {}

    void run(std::size_t thread) {
        if (thread == 0) {
            drop(0, 0);
            return heap.end_session(0);
        }
        in_session(1, [this] { owner[2] = owner[1]; });
        drop(1, 1);
        drop(1, 2);
    }
};

// What one releases waits to be queued for a session that is no more, when another owner, the last one, begins to
// observe the object and leaves.
struct the_session_ends_before_the_last_owner_makes_a_weak_pointer : scenario {
    static constexpr std::size_t threads = 3;

    the_session_ends_before_the_last_owner_makes_a_weak_pointer() : scenario(2) {
        in_session(0, [this] { owner[2] = std::move(owner[0]); });
    }

    void run(std::size_t thread) {
        if (thread == 0) return heap.end_session(0);
        if (thread == 1) return drop(1, 1);
        in_session(2, [this] { watch = owner[2]; });
        drop(2, 2);
        lock_and_drop(2);
    }
};

struct a_weak_pointer_is_locked : scenario {
    static constexpr std::size_t threads = 2;

    a_weak_pointer_is_locked() : scenario(1) {
        in_session(0, [this] { watch = owner[0]; });
    }

    void run(std::size_t thread) { thread == 0 ? drop(0, 0) : lock_and_drop(1); }
};

// A collection has emptied the counts of all other sessions since, so the session looks at its own alone.
struct a_weak_pointer_is_locked_after_a_collection : a_weak_pointer_is_locked {
    a_weak_pointer_is_locked_after_a_collection() {
        heap.end_session(1);
        heap.end_session(2);
        in_session(0, [this] { heap.heap.collect(); });
        heap.begin_session(1);
    }
};

// The last owner is another's, so the object is queued.
struct a_weak_pointer_is_locked_at_a_safepoint : a_weak_pointer_is_locked {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 0) return safepoint(0);
        thread == 1 ? drop(1, 0) : lock_and_drop(2);
    }
};

struct a_weak_pointer_to_what_no_session_has_is_locked : a_weak_pointer_is_locked {
    a_weak_pointer_to_what_no_session_has_is_locked() { heap.end_session(0); }

    void run(std::size_t thread) { thread == 0 ? drop(1, 0) : lock_and_drop(2); }
};

// The session releases the last owner of an object that was queued for it before.
struct what_is_written_down_is_owned_again : scenario {
    static constexpr std::size_t threads = 2;

    what_is_written_down_is_owned_again() : scenario(2) {
        in_session(0, [this] { watch = owner[0]; });
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            drop(0, 0);
            if (is_given.load(std::memory_order_acquire)) drop(0, 2);
            return safepoint(0);
        }
        drop(1, 1);
        in_session(1, [this] { owner[2] = lock(); });
        is_given.store(true, std::memory_order_release);
    }

    void check() {
        drop(1, 2);
        scenario::check();
    }

    support::checked_atomic<bool> is_given = false;
};

// A cycle that nobody owns is collected, while the session that made it locks a weak pointer.
struct a_cycle_is_collected : scenario {
    static constexpr std::size_t threads = 2;

    a_cycle_is_collected() : scenario(1) {
        in_session(0, [this] {
            watch = owner[0];
            owner[0]->next = std::move(owner[0]);
        });
        heap.end_session(2);
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            lock_and_drop(0);
        } else {
            in_session(1, [this] { heap.heap.collect(); });
        }
        heap.end_session(thread);
    }

    void check() {
        {
            session last(heap.heap);
            heap.heap.collect();
        }
        scenario::check();
    }
};

// A ring that one owner keeps is searched in steps, while this owner goes from hand to hand; then nobody has it.
template <class Object>
struct an_owner_is_passed_on_between_the_steps_of_a_search : scenario_of<Object> {
    static constexpr std::size_t threads = 2;

    an_owner_is_passed_on_between_the_steps_of_a_search() : scenario_of<Object>(2) {
        this->in_session(0, [this] {
            this->owner[0]->next = this->owner[1];
            this->owner[1].reset();
        });
        this->heap.end_session(2);
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            for (int i = 0; i < 3; ++i) this->in_session(0, [this] { this->heap.heap.collect(1); });
            return this->heap.end_session(0);
        }
        this->in_session(1, [this] {
            this->owner[1] = this->owner[0];
            this->owner[0].reset();
            this->owner[2] = this->owner[1];
            this->owner[1].reset();
        });
        EXPECT_EQ(this->destroyed, 0) << "it has an owner";
        this->drop(1, 2);
        this->heap.end_session(1);
    }

    void check() {
        {
            session last(this->heap.heap);
            this->heap.heap.collect();
        }
        EXPECT_EQ(this->destroyed, 1);
    }
};

// What a search has found is released and destroyed before its next step.
template <class Object>
struct a_suspect_dies_between_the_steps_of_a_search : scenario_of<Object> {
    static constexpr std::size_t threads = 2;

    a_suspect_dies_between_the_steps_of_a_search() : scenario_of<Object>(1) {
        this->heap.end_session(1);
        this->heap.end_session(2);
        this->in_session(0, [this] {
            for (std::size_t i = 1; i < 3; ++i) {
                this->owner[i] = this->heap.heap.template make<Object>(this->destroyed);
                this->owner[i]->next = this->owner[i - 1];
            }
            this->owner[1].reset();
            this->owner[0].reset();
            this->heap.heap.collect(1);
            this->heap.heap.collect(1);
        });
        this->heap.begin_session(1);
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            for (int i = 0; i < 2; ++i) this->in_session(0, [this] { this->heap.heap.collect(1); });
        } else {
            this->drop(1, 2);
        }
        this->heap.end_session(thread);
    }

    void check() {
        {
            session last(this->heap.heap);
            this->heap.heap.collect();
        }
        EXPECT_EQ(this->destroyed, 3);
    }
};

// One collects while another pauses, and a third one comes and goes.
struct sessions_stand_still : scenario {
    static constexpr std::size_t threads = 3;

    sessions_stand_still() : scenario(1) { heap.end_session(2); }

    void run(std::size_t thread) {
        if (thread == 2) return static_cast<void>(session(heap.heap));
        heap.in_session(thread, [&](session& here) {
            if (thread == 1) {
                owner[0].reset();
                heap.heap.collect();
            } else {
                const checked_heap::heap_type::pause waiting(here);
            }
        });
        heap.end_session(thread);
    }
};

// Only the end of the collection wakes the session.
struct a_session_begins_while_another_collects : scenario {
    static constexpr std::size_t threads = 2;

    a_session_begins_while_another_collects() : scenario(1) {
        heap.end_session(1);
        heap.end_session(2);
    }

    void run(std::size_t thread) {
        if (thread == 1) return static_cast<void>(session(heap.heap));
        in_session(0, [this] {
            owner[0].reset();
            heap.heap.collect();
        });
    }
};

// A session that began while another one waited for all to stop is asked to stop, too.
struct a_session_that_has_just_begun_is_stopped : scenario {
    static constexpr std::size_t threads = 2;

    a_session_that_has_just_begun_is_stopped() : scenario(1) {
        heap.end_session(1);
        heap.end_session(2);
    }

    void run(std::size_t thread) {
        if (thread == 1) {
            session begun(heap.heap);
            while (!is_collected.load(std::memory_order_relaxed)) begun.safepoint();
            return;
        }
        in_session(0, [this] {
            owner[0].reset();
            heap.heap.collect();
        });
        is_collected.store(true, std::memory_order_relaxed);
    }

    support::checked_atomic<bool> is_collected = false;
};

struct two_collect : scenario {
    static constexpr std::size_t threads = 2;

    two_collect() : scenario(1) { heap.end_session(2); }

    void run(std::size_t thread) {
        in_session(thread, [&] {
            if (thread == 1) owner[0].reset();
            heap.heap.collect();
        });
        heap.end_session(thread);
    }
};

// The session asks how many owners there are while another one is the first to count beside.
struct owners_are_counted_while_another_counts_first : scenario {
    static constexpr std::size_t threads = 2;

    owners_are_counted_while_another_counts_first() : scenario(2) {}

    void run(std::size_t thread) {
        if (thread == 0) return in_session(0, [this] { EXPECT_GE(owner[0].use_count(), 1); });
        in_session(1, [this] { owner[2] = owner[1]; });
        drop(1, 1);
        drop(1, 2);
    }

    void check() {
        drop(0, 0);
        scenario::check();
    }
};

// Who finds that a weak pointer has expired sees what was done before the last owner was released.
struct a_weak_pointer_is_seen_to_expire : a_weak_pointer_is_locked {
    void run(std::size_t thread) {
        if (thread == 0) {
            last_words.set(1);
            drop(0, 0);
        } else if (watch.expired()) {
            EXPECT_EQ(last_words.get(), 1);
        }
    }

    support::plain<int> last_words = 0;
};

// All would be too many: for two threads, and for three.
constexpr support::bounds some{.interruptions = 2, .surprises = 1, .steps_after = false};
constexpr support::bounds few{.interruptions = 1, .surprises = 1, .steps_after = false};
constexpr support::bounds fewest{.interruptions = 1, .surprises = 0, .steps_after = false};

}  // namespace

TEST(checked_cyclic_heap, all_release_what_they_have_counted) {
    EXPECT_GT(for_every_execution<all_drop_what_they_have_counted>(few), 10);
}

TEST(checked_cyclic_heap, others_release_what_the_session_has_counted) {
    EXPECT_GT(for_every_execution<others_drop_what_the_session_has_counted>(few), 10);
}

TEST(checked_cyclic_heap, each_releases_what_the_other_has_counted) {
    EXPECT_GT(for_every_execution<each_drops_what_the_other_has_counted>(some), 10);
}

TEST(checked_cyclic_heap, the_session_ends_while_another_releases_what_it_has_counted) {
    EXPECT_GT(for_every_execution<the_session_ends<node>>(some), 10);
}

TEST(checked_cyclic_heap, the_session_ends_while_another_releases_an_object_with_its_own_block) {
    EXPECT_GT(for_every_execution<the_session_ends<large_node>>(some), 10);
}

TEST(checked_cyclic_heap, the_session_ends_while_another_copies) {
    EXPECT_GT(for_every_execution<the_session_drops_and_ends_while_another_copies>(some), 10);
}

TEST(checked_cyclic_heap, the_session_ends_before_the_last_owner_makes_a_weak_pointer_and_another_releases) {
    EXPECT_GT(for_every_execution<the_session_ends_before_the_last_owner_makes_a_weak_pointer>(few), 10);
}

TEST(checked_cyclic_heap, a_weak_pointer_is_locked_while_the_session_releases_the_last_owner) {
    EXPECT_GT(for_every_execution<a_weak_pointer_is_locked>(some), 10);
}

TEST(checked_cyclic_heap, a_weak_pointer_is_locked_while_the_session_releases_after_a_collection) {
    EXPECT_GT(for_every_execution<a_weak_pointer_is_locked_after_a_collection>(some), 10);
}

TEST(checked_cyclic_heap, a_weak_pointer_is_locked_while_another_releases_the_last_owner) {
    EXPECT_GT(for_every_execution<a_weak_pointer_is_locked_at_a_safepoint>(few), 10);
}

TEST(checked_cyclic_heap, a_weak_pointer_is_locked_while_the_last_owner_of_an_abandoned_object_is_released) {
    EXPECT_GT(for_every_execution<a_weak_pointer_to_what_no_session_has_is_locked>(some), 10);
}

TEST(checked_cyclic_heap, a_queued_object_is_owned_again_and_released) {
    EXPECT_GT(for_every_execution<what_is_written_down_is_owned_again>(some), 10);
}

TEST(checked_cyclic_heap, a_cycle_is_collected_while_a_weak_pointer_is_locked) {
    EXPECT_GT(for_every_execution<a_cycle_is_collected>(some), 10);
}

TEST(checked_cyclic_heap, sessions_pause_begin_and_end_while_another_collects) {
    EXPECT_GT(for_every_execution<sessions_stand_still>(fewest), 10);
}

TEST(checked_cyclic_heap, a_session_begins_while_another_collects) {
    EXPECT_GT(for_every_execution<a_session_begins_while_another_collects>(some), 10);
}

TEST(checked_cyclic_heap, two_sessions_collect) { EXPECT_GT(for_every_execution<two_collect>(few), 10); }

TEST(checked_cyclic_heap, owners_are_counted_while_another_session_is_the_first_to_count_beside) {
    EXPECT_GT(for_every_execution<owners_are_counted_while_another_counts_first>(some), 10);
}

TEST(checked_cyclic_heap, a_weak_pointer_that_has_expired_shows_what_came_before) {
    EXPECT_GT(for_every_execution<a_weak_pointer_is_seen_to_expire>(some), 10);
}

TEST(checked_cyclic_heap, an_owner_is_passed_on_between_the_steps_of_a_search) {
    EXPECT_GT(for_every_execution<an_owner_is_passed_on_between_the_steps_of_a_search<node>>(few), 10);
    EXPECT_GT(for_every_execution<an_owner_is_passed_on_between_the_steps_of_a_search<large_node>>(few), 10);
}

TEST(checked_cyclic_heap, a_suspect_dies_between_the_steps_of_a_search) {
    EXPECT_GT(for_every_execution<a_suspect_dies_between_the_steps_of_a_search<node>>(few), 10);
    EXPECT_GT(for_every_execution<a_suspect_dies_between_the_steps_of_a_search<large_node>>(few), 10);
}

TEST(checked_cyclic_heap, a_session_that_has_just_begun_is_stopped_for_a_collection) {
    EXPECT_GT(for_every_execution<a_session_that_has_just_begun_is_stopped>(fewest), 5);
}
