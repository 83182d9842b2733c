// The counts under the checker: an object is destroyed once, its block is freed once and later, a destroyed object is
// never owned again, and what owners did to it happens before its end.

#include <gtest/gtest.h>

#include "support/checked_counting.hpp"
// After the names of the builtins.
#include <freehold/counting/shared_count.hpp>
#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/make_shared_with_weak.hpp>
#include <freehold/pointers/ref_counted.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <cstddef>
#include <new>
#include <utility>

#include "support/checker.hpp"
#include "support/recorded_block.hpp"

namespace {

using support::for_every_execution;
using support::history;
using support::record_end;
using support::recording_allocator;
using support::repeat;

constexpr freehold::count_word most_owners = freehold::count_word{1} << 35;
constexpr freehold::count_word many_weak = freehold::count_word{1} << 27;

// An object with an owner and a weak pointer, to be shared out among threads.
struct scenario {
    using owner = freehold::shared_ptr<int, support::checked_counting>;
    using weak = freehold::weak_ptr<int, support::checked_counting>;

    // Effects: locks, and expects an object that has not ended for as long as it is owned.
    void lock() {
        const owner locked = watch.lock();
        if (locked) use();
    }

    // Effects: does what an owner does to the object.
    void use() {
        EXPECT_EQ(past.ended, 0);
        support::has_read(&object);
    }

    void expect_the_end() const {
        EXPECT_EQ(past.ended, 1);
        EXPECT_EQ(past.freed, 1);
    }

    history past;
    int object = 0;
    owner last{&object, record_end{&past}, recording_allocator<int>(past)};
    weak watch = last;
};

struct last_release_and_lock : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) return last.reset();
        lock();
        watch.reset();
    }

    void check() { expect_the_end(); }
};

struct last_release_and_two_weak_pointers : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) return last.reset();
        watch.reset();
        second_watch.reset();
    }

    void check() { expect_the_end(); }

    weak second_watch = watch;
};

struct two_owners_and_a_weak_pointer : scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 0) return watch.reset();
        use();
        (thread == 1 ? last : second).reset();
    }

    void check() { expect_the_end(); }

    owner second = last;
};

struct last_release_and_weak_pointers_that_multiply : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) return last.reset();
        weak copy = watch;
        watch.reset();
        copy.reset();
    }

    void check() { expect_the_end(); }
};

struct owner_that_was_locked_is_last : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) return last.reset();
        const owner locked = watch.lock();
        watch.reset();
        if (locked) use();
    }

    void check() { expect_the_end(); }
};

struct too_many_weak_pointers_while_the_object_ends : scenario {
    static constexpr std::size_t threads = 2;

    too_many_weak_pointers_while_the_object_ends() {
        const repeat leaked(many_weak - 3);
        alignas(weak) unsigned char memory[sizeof(weak)];
        ::new (memory) weak(watch);
    }

    void run(std::size_t thread) {
        if (thread == 0) return last.reset();
        for (int i = 0; i < 2; ++i) ::new (leaked_weak) weak(watch);
    }

    // Either the object was destroyed before the weak pointers were too many, or it never is.
    void check() {
        EXPECT_EQ(past.freed, 0);
        EXPECT_EQ(watch.lock() != nullptr, past.ended == 0);
        EXPECT_EQ(watch.expired(), past.ended == 1);
        watch.reset();
        EXPECT_EQ(past.freed, 0);
    }

    alignas(weak) unsigned char leaked_weak[sizeof(weak)] = {};
};

struct too_many_owners_while_one_leaves : scenario {
    static constexpr std::size_t threads = 2;

    too_many_owners_while_one_leaves() {
        const repeat leaked(most_owners - 2);
        ::new (leaked_owner) owner(last);
    }

    void run(std::size_t thread) {
        if (thread == 0) return last.reset();
        ::new (leaked_owner) owner(*known);
        const owner passing(*known);
    }

    // Not all who were counted have left.
    void check() {
        EXPECT_EQ(past.ended, 0);
        EXPECT_GE(watch.use_count(), most_owners - 1);
    }

    alignas(owner) unsigned char leaked_owner[sizeof(owner)] = {};
    owner second = last;
    const owner* known = &second;
};

// A lock may come between the release that counts the last owner down and what it does next.
struct two_owners_and_a_lock : scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 1) return last.reset();
        if (thread == 2) return second.reset();
        lock();
        watch.reset();
    }

    void check() { expect_the_end(); }

    owner second = last;
};

// The owner that came between shares the object: again the last release may be one of two.
struct two_owners_and_a_lock_that_shares : scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 1) return last.reset();
        if (thread == 2) return second.reset();
        const owner locked = watch.lock();
        const owner shared = locked;
        watch.reset();
        if (locked) {
            EXPECT_EQ(past.ended, 0);
        }
    }

    void check() { expect_the_end(); }

    owner second = last;
};

// Both may find the object without an owner, and yet alive.
struct two_owners_and_two_locks : scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 2) return last.reset();
        if (thread == 1) second.reset();
        weak& mine = thread == 0 ? watch : other;
        if (const owner locked = mine.lock()) {
            EXPECT_EQ(past.ended, 0);
        } else {
            EXPECT_TRUE(mine.expired());
            EXPECT_FALSE(mine.lock());
        }
        mine.reset();
    }

    void check() { expect_the_end(); }

    owner second = last;
    weak other = watch;
};

// Whether the last owner unwraps the object or a lock comes between is decided once for both.
struct unwrap_and_lock : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            unwrapped = freehold::try_unwrap(std::move(last)).has_value();
            last.reset();
            return;
        }
        lock();
        watch.reset();
    }

    void check() { expect_the_end(); }

    bool unwrapped = false;
};

struct two_owners_unwrap : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        owner& mine = thread == 0 ? last : second;
        if (freehold::try_unwrap(std::move(mine))) ++unwrapped;
        mine.reset();
    }

    void check() {
        EXPECT_LE(unwrapped, 1);
        watch.reset();
        expect_the_end();
    }

    int unwrapped = 0;
    owner second = last;
};

struct weak_pointer_of_an_object_that_begins {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            constructed.set(true);
            count.acquire_first();
            if (count.release_weak()) ++freed;
            release();
            return;
        }
        if (count.try_acquire()) {
            EXPECT_TRUE(constructed.get());
            EXPECT_EQ(ended, 0);
            release();
        }
        if (count.release_weak()) ++freed;
    }

    void release() {
        count.release([this]() noexcept {
            const auto outcome = count.resolve_release();
            if (outcome == freehold::release_outcome::owned) return;
            if (outcome != freehold::release_outcome::unused) {
                ++ended;
                constructed.set(false);
            }
            if (outcome != freehold::release_outcome::expired_with_weak || count.release_weak()) ++freed;
        });
    }

    void check() {
        EXPECT_EQ(ended, 1);
        EXPECT_EQ(freed, 1);
    }

    weak_pointer_of_an_object_that_begins() {
        count.expire();
        count.acquire_weak();
    }

    freehold::shared_count<support::checked_counting> count;
    support::plain<bool> constructed = false;
    int ended = 0;
    int freed = 0;
};

// What locks an object as it begins finds it whole: it makes owners of itself, too.
struct object_that_is_locked_as_it_begins {
    static constexpr std::size_t threads = 2;

    struct node : freehold::enable_shared_from_this<node, support::checked_counting> {};
    using weak = freehold::weak_ptr<node, support::checked_counting>;

    void run(std::size_t thread) {
        if (thread == 0) {
            made = freehold::make_shared_with_weak<node, support::checked_counting>([this](const weak& self) {
                watch = self;
                is_published.store(true, std::memory_order_release);
                return node();
            });
        } else if (is_published.load(std::memory_order_acquire)) {
            if (const auto locked = watch.lock()) {
                EXPECT_EQ(locked->weak_from_this().lock(), locked);
            }
        }
    }

    void check() const { EXPECT_EQ(made->shared_from_this(), made); }

    weak watch;
    support::checked_atomic<bool> is_published = false;
    freehold::shared_ptr<node, support::checked_counting> made;
};

struct two_releases_of_an_intrusive_count {
    static constexpr std::size_t threads = 2;

    struct node : freehold::ref_counted<node, support::checked_counting> {
        explicit node(int& target) : ended(&target) {}
        node(const node&) = delete;
        node& operator=(const node&) = delete;
        ~node() {
            ++*ended;
            support::wrote(this);
        }
        int* ended;
    };

    void run(std::size_t thread) {
        auto& mine = thread == 0 ? first : second;
        support::has_read(mine.get());
        mine.reset();
    }

    void check() { EXPECT_EQ(ended, 1); }

    int ended = 0;
    freehold::intrusive_ptr<node> first{new node(ended)};
    freehold::intrusive_ptr<node> second = first;
};

// The contract of a counting policy: what is done before one operation happens before what follows another one that
// reads its result.
using counting = support::checked_counting;

struct by_decrease {
    static bool change(freehold::count_word& word) {
        counting::decrease(word, -1, []() noexcept {});
        return true;
    }
};

struct by_decrease_to {
    static bool change(freehold::count_word& word) { return counting::decrease_to(word, -1, 2); }
};

// Not after an observation, which acquires as well.
struct by_replace {
    static bool change(freehold::count_word& word) {
        freehold::count_word seen = 1;
        return counting::replace(word, seen, 2);
    }
};

struct by_fetch_add {
    static bool change(freehold::count_word& word) { return counting::fetch_add(word, 1, 1) == 1; }
};

struct by_observe {
    static bool change(freehold::count_word& word) { return counting::observe(word) == 1; }
};

struct publishing_replace {
    static bool change(freehold::count_word& word) {
        freehold::count_word seen = 0;
        return counting::replace(word, seen, 1);
    }
};

template <class First, class Second>
struct one_operation_reads_the_result_of_another {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            data.set(1);
            First::change(word);
        } else if (Second::change(word)) {
            EXPECT_EQ(data.get(), 1);
        }
    }

    void check() {}

    freehold::count_word word = 0;
    support::plain<int> data = 0;
};

template <class First>
void expect_order_after() {
    EXPECT_GT((for_every_execution<one_operation_reads_the_result_of_another<First, by_observe>>({})), 5);
    EXPECT_GT((for_every_execution<one_operation_reads_the_result_of_another<First, by_decrease_to>>({})), 5);
    EXPECT_GT((for_every_execution<one_operation_reads_the_result_of_another<First, by_fetch_add>>({})), 5);
    EXPECT_GT((for_every_execution<one_operation_reads_the_result_of_another<First, by_replace>>({})), 5);
}

constexpr support::bounds few{.interruptions = 2, .surprises = 2};
constexpr support::bounds fewest{.interruptions = 2, .surprises = 1};

}  // namespace

TEST(checked_counts, lock_and_the_last_release) { EXPECT_GT(for_every_execution<last_release_and_lock>(few), 10); }

TEST(checked_counts, the_last_release_and_two_weak_pointers_that_leave) {
    EXPECT_GT(for_every_execution<last_release_and_two_weak_pointers>(few), 10);
}

TEST(checked_counts, the_releases_of_two_owners_and_a_weak_pointer) {
    EXPECT_GT(for_every_execution<two_owners_and_a_weak_pointer>(few), 10);
}

TEST(checked_counts, the_last_release_and_weak_pointers_that_multiply) {
    EXPECT_GT(for_every_execution<last_release_and_weak_pointers_that_multiply>(few), 10);
}

TEST(checked_counts, an_owner_that_was_locked_is_the_last) {
    EXPECT_GT(for_every_execution<owner_that_was_locked_is_last>(few), 10);
}

TEST(checked_counts, too_many_weak_pointers_while_the_object_ends) {
    EXPECT_GT(for_every_execution<too_many_weak_pointers_while_the_object_ends>(few), 10);
}

TEST(checked_counts, too_many_owners_while_one_leaves) {
    EXPECT_GT(for_every_execution<too_many_owners_while_one_leaves>(few), 10);
}

TEST(checked_counts, two_owners_leave_and_a_lock_comes_between) {
    EXPECT_GT(for_every_execution<two_owners_and_a_lock>(fewest), 10);
}

TEST(checked_counts, two_owners_leave_and_a_lock_that_comes_between_shares) {
    EXPECT_GT(for_every_execution<two_owners_and_a_lock_that_shares>(fewest), 10);
}

TEST(checked_counts, two_owners_leave_and_two_locks_come_between) {
    EXPECT_GT(for_every_execution<two_owners_and_two_locks>(fewest), 10);
}

TEST(checked_counts, an_unwrap_and_a_lock) { EXPECT_GT(for_every_execution<unwrap_and_lock>(few), 10); }

TEST(checked_counts, two_owners_that_unwrap) { EXPECT_GT(for_every_execution<two_owners_unwrap>(few), 10); }

TEST(checked_counts, the_first_owner_of_an_object_that_has_a_weak_pointer) {
    EXPECT_GT(for_every_execution<weak_pointer_of_an_object_that_begins>(few), 10);
}

TEST(checked_counts, an_object_that_is_locked_as_it_begins_makes_owners_of_itself) {
    EXPECT_GT(for_every_execution<object_that_is_locked_as_it_begins>(few), 10);
}

TEST(checked_counts, the_releases_of_two_intrusive_owners) {
    EXPECT_GT(for_every_execution<two_releases_of_an_intrusive_count>(few), 10);
}

TEST(checked_counts, each_operation_of_the_policy_orders) {
    expect_order_after<by_decrease>();
    expect_order_after<publishing_replace>();
}
