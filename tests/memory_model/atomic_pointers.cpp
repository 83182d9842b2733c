// Atomic pointers under the checker: an object ends once, when no pointer owns it and no snapshot reads it; what its
// readers did happens before; and all operations of all pointers are in one order.

#include <gtest/gtest.h>

#include "support/checked_atomic_pointer.hpp"
// After the names of the builtins.
#include <freehold/pointers/make_shared.hpp>

#include <array>
#include <cstddef>
#include <utility>

#include "support/checker.hpp"
#include "support/effort.hpp"
#include "support/recorded_block.hpp"

namespace {

using support::for_every_execution;
using support::for_random_executions;
using support::history;

const support::bounds few{.interruptions = support::full_effort<std::size_t>(2, 1), .surprises = 1};
constexpr support::bounds rarely{.interruptions = 1, .surprises = 1};
constexpr support::bounds hardly{.interruptions = 1, .surprises = 2};

struct node {
    explicit node(history& its) : past(&its) {}
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() {
        ++past->ended;
        support::wrote(this);
    }

    void use() const {
        EXPECT_EQ(past->ended, 0);
        support::has_read(this);
    }

    history* past;
};

using owner = freehold::shared_ptr<node, support::checked_counting>;
using weak = freehold::weak_ptr<node, support::checked_counting>;
using atomic_owner = freehold::detail::atomic_pointer<owner>;
using atomic_weak = freehold::detail::atomic_pointer<weak>;

// A few objects. Each is made before the threads, and owned by what its scenario gives it to.
struct scenario {
    using reading = support::checked_process;

    template <class Scenario>
    static void run_work(Scenario& its, std::size_t thread) {
        reading::set_own(nullptr);
        its.work(thread);
        support::checked_readers.leave();
    }

    owner make(std::size_t i) {
        history& its = past[i];
        return freehold::detail::create<node, support::checked_counting>(support::recording_allocator<node>(its), its);
    }

    // Effects: what the threads have deferred is released.
    static void flush() {
        reading::set_own(nullptr);
        static_cast<void>(support::checked_readers.own());
        support::checked_readers.flush();
        support::checked_readers.leave();
    }

    void expect_ended(std::size_t i) const {
        EXPECT_EQ(past[i].ended, 1) << i;
        EXPECT_EQ(past[i].freed, 1) << i;
    }

    support::fresh_readers fresh;
    std::array<history, 3> past;
};

// One pointer and an owner of each other object.
template <class Work>
struct of_one_pointer : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) { run_work(static_cast<Work&>(*this), thread); }

    void check() {
        flush();
        pointer.store(nullptr);
        flush();
        for (owner& each : others) each.reset();
        for (std::size_t i = 0; i < past.size(); ++i) expect_ended(i);
    }

    owner& other(std::size_t i) { return others[i - 1]; }

    atomic_owner pointer = make(0);
    std::array<owner, 2> others{make(1), make(2)};
};

struct one_loads_what_another_replaces : of_one_pointer<one_loads_what_another_replaces> {
    void work(std::size_t thread) {
        if (thread == 0) return pointer.load()->use();
        pointer.store(std::move(other(1)));
    }
};

struct one_has_a_snapshot_of_what_another_replaces : of_one_pointer<one_has_a_snapshot_of_what_another_replaces> {
    void work(std::size_t thread) {
        if (thread == 0) {
            const auto first = pointer.snapshot();
            const auto second = pointer.snapshot();
            first->use();
            return second->use();
        }
        pointer.store(std::move(other(1)));
    }
};

struct one_exchanges_what_another_replaces : of_one_pointer<one_exchanges_what_another_replaces> {
    void work(std::size_t thread) {
        if (thread == 0) return pointer.exchange(std::move(other(2)))->use();
        pointer.store(std::move(other(1)));
    }
};

struct two_replace_what_both_expect : of_one_pointer<two_replace_what_both_expect> {
    void work(std::size_t thread) {
        owner expected = first;
        has_replaced[thread] = pointer.compare_exchange_strong(expected, other(thread + 1));
        expected->use();
        EXPECT_EQ(expected == first, has_replaced[thread]);
    }

    void check() {
        EXPECT_NE(has_replaced[0], has_replaced[1]);
        first.reset();
        of_one_pointer::check();
    }

    owner first = pointer.load();
    std::array<bool, 2> has_replaced{};
};

struct two_replace_what_both_have_a_snapshot_of : of_one_pointer<two_replace_what_both_have_a_snapshot_of> {
    void work(std::size_t thread) {
        auto expected = pointer.snapshot();
        while (!pointer.compare_exchange_strong(expected, other(thread + 1))) {
            EXPECT_EQ(expected.get(), other(2 - thread).get());
        }
        expected->use();
    }
};

// The other thread comes back to the expected value.
struct one_replaces_what_another_changes_twice : of_one_pointer<one_replaces_what_another_changes_twice> {
    void work(std::size_t thread) {
        if (thread == 0) {
            owner expected = first;
            if (!pointer.compare_exchange_strong(expected, other(1))) {
                EXPECT_EQ(expected, other(2));
            }
        } else {
            pointer.store(other(2));
            pointer.store(std::move(first_again));
        }
    }

    void check() {
        first.reset();
        first_again.reset();
        of_one_pointer::check();
    }

    owner first = pointer.load();
    owner first_again = first;
};

struct one_loads_what_another_compares : of_one_pointer<one_loads_what_another_compares> {
    void work(std::size_t thread) {
        if (thread == 0) return pointer.load()->use();
        owner expected = pointer.load();
        EXPECT_TRUE(pointer.compare_exchange_strong(expected, std::move(other(1))));
    }
};

struct one_waits_for_what_another_stores : of_one_pointer<one_waits_for_what_another_stores> {
    void work(std::size_t thread) {
        if (thread == 0) {
            pointer.wait(first);
            pointer.load()->use();
            EXPECT_NE(pointer.load(), first);
        } else {
            pointer.store(std::move(other(1)));
            pointer.notify_all();
        }
    }

    void check() {
        first.reset();
        of_one_pointer::check();
    }

    owner first = pointer.load();
};

// A snapshot of the first thread ends in the second one. Then the first takes the slot for another reading.
struct a_snapshot_ends_in_another_thread : scenario {
    static constexpr std::size_t threads = 2;

    a_snapshot_ends_in_another_thread() {
        reading::set_own(nullptr);
        moved = pointer.snapshot();
        its = reading::own();
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            reading::set_own(its);
            if (is_by_load) {
                pointer.load()->use();
            } else {
                pointer.snapshot()->use();
            }
            pointer.store(nullptr);
        } else {
            reading::set_own(nullptr);
            moved->use();
            moved.reset();
        }
        support::checked_readers.leave();
    }

    void check() {
        flush();
        expect_ended(0);
    }

    bool is_by_load = false;
    atomic_owner pointer = make(0);
    decltype(pointer.snapshot()) moved;
    reading::record* its = nullptr;
};

struct a_snapshot_ends_in_another_thread_before_a_load : a_snapshot_ends_in_another_thread {
    a_snapshot_ends_in_another_thread_before_a_load() { is_by_load = true; }
};

// The same, and a third thread finds the slot with what its second reader has read.
struct a_slot_changes_hands : a_snapshot_ends_in_another_thread {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        reading::set_own(thread == 0 ? its : nullptr);
        if (thread == 2) {
            pointer.store(nullptr);
        } else if (thread == 1) {
            moved->use();
            moved.reset();
        } else if (is_by_load) {
            static_cast<void>(pointer.load());
        } else {
            static_cast<void>(pointer.snapshot());
        }
        support::checked_readers.leave();
    }
};

struct a_slot_changes_hands_by_a_load : a_slot_changes_hands {
    a_slot_changes_hands_by_a_load() { is_by_load = true; }
};

// Each stores in one pointer and then looks at the other: one sees what the other has done.
template <class Work>
struct of_two_pointers : scenario {
    static constexpr std::size_t threads = 2;

    // A record that the other thread finds would tell it what was stored before.
    void run(std::size_t thread) {
        reading::set_own(nullptr);
        static_cast<void>(support::checked_readers.own());
        static_cast<Work&>(*this).work(thread);
        support::checked_readers.leave();
    }

    void check() {
        EXPECT_TRUE(sees_other[0] || sees_other[1]);
        flush();
        for (atomic_owner& each : pointers) each.store(nullptr);
        flush();
        expect_ended(0);
    }

    std::array<atomic_owner, 2> pointers{};
    owner only = make(0);
    std::array<owner, 2> stored{only, std::move(only)};
    std::array<bool, 2> sees_other{};
};

struct two_store_and_load : of_two_pointers<two_store_and_load> {
    void work(std::size_t thread) {
        pointers[thread].store(std::move(stored[thread]));
        sees_other[thread] = pointers[1 - thread].load() != nullptr;
    }
};

struct two_store_and_read : of_two_pointers<two_store_and_read> {
    void work(std::size_t thread) {
        pointers[thread].store(std::move(stored[thread]));
        sees_other[thread] = pointers[1 - thread].snapshot() != nullptr;
    }
};

struct two_exchange_and_compare : of_two_pointers<two_exchange_and_compare> {
    void work(std::size_t thread) {
        owner expected;
        EXPECT_TRUE(pointers[thread].compare_exchange_strong(expected, std::move(stored[thread])));
        const auto& other = pointers[1 - thread];
        sees_other[thread] = !other.holds(decltype(other.snapshot())());
    }
};

struct two_exchange_from_a_snapshot : of_two_pointers<two_exchange_from_a_snapshot> {
    void work(std::size_t thread) {
        decltype(pointers[0].snapshot()) null;
        EXPECT_TRUE(pointers[thread].compare_exchange_strong(null, std::move(stored[thread])));
        sees_other[thread] = !pointers[1 - thread].holds(decltype(null)());
    }
};

// An object that lies elsewhere than its owner's block has a record, which others have before and after it.
struct one_loads_an_alias_that_another_replaces : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) { run_work(*this, thread); }

    void work(std::size_t thread) {
        if (thread == 0) {
            const auto loaded = pointer.load();
            EXPECT_GE(*loaded, elsewhere[0]);
            EXPECT_EQ(loaded.use_count() > 0, true);
            return;
        }
        pointer.store(alias(1));
        pointer.store(alias(2));
    }

    void check() {
        flush();
        pointer.store(nullptr);
        flush();
        for (owner& each : owners) each.reset();
        for (std::size_t i = 0; i < past.size(); ++i) expect_ended(i);
    }

    freehold::shared_ptr<int, support::checked_counting> alias(std::size_t i) { return {owners[i], &elsewhere[i]}; }

    std::array<int, 3> elsewhere{0, 1, 2};
    std::array<owner, 3> owners{make(0), make(1), make(2)};
    freehold::detail::atomic_pointer<freehold::shared_ptr<int, support::checked_counting>> pointer = alias(0);
};

struct one_loads_a_weak_pointer_that_another_replaces : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) { run_work(*this, thread); }

    void work(std::size_t thread) {
        if (thread == 0) {
            if (const owner locked = pointer.load().lock()) locked->use();
            return;
        }
        first.reset();
        pointer.store(second);
    }

    void check() {
        flush();
        pointer.store({});
        flush();
        second.reset();
        expect_ended(0);
        expect_ended(1);
    }

    owner first = make(0);
    owner second = make(1);
    atomic_weak pointer = weak(first);
};

}  // namespace

TEST(atomic_pointers, one_loads_what_another_replaces) {
    EXPECT_GT(for_every_execution<one_loads_what_another_replaces>(few), 10);
}

TEST(atomic_pointers, one_has_a_snapshot_of_what_another_replaces) {
    EXPECT_GT(for_every_execution<one_has_a_snapshot_of_what_another_replaces>(few), 10);
}

TEST(atomic_pointers, a_snapshot_needs_a_full_fence_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(for_every_execution<one_has_a_snapshot_of_what_another_replaces>(few), 10);
}

TEST(atomic_pointers, one_exchanges_what_another_replaces) {
    EXPECT_GT(for_every_execution<one_exchanges_what_another_replaces>(few), 10);
}

TEST(atomic_pointers, two_replace_what_both_expect) {
    EXPECT_GT(for_every_execution<two_replace_what_both_expect>(few), 10);
}

TEST(atomic_pointers, two_replace_what_both_have_a_snapshot_of) {
    EXPECT_GT(for_every_execution<two_replace_what_both_have_a_snapshot_of>(few), 10);
}

TEST(atomic_pointers, one_replaces_what_another_changes_twice) {
    EXPECT_GT(for_every_execution<one_replaces_what_another_changes_twice>(few), 10);
}

TEST(atomic_pointers, one_loads_what_another_compares) {
    EXPECT_GT(for_every_execution<one_loads_what_another_compares>(few), 10);
}

TEST(atomic_pointers, a_slot_changes_hands) {
    EXPECT_GT(for_every_execution<a_slot_changes_hands>(rarely), 10);
    EXPECT_GT(for_every_execution<a_slot_changes_hands_by_a_load>(rarely), 10);
}

TEST(atomic_pointers, one_waits_for_what_another_stores) {
    EXPECT_GT(for_every_execution<one_waits_for_what_another_stores>(few), 10);
}

TEST(atomic_pointers, a_snapshot_ends_in_another_thread) {
    EXPECT_GT(for_every_execution<a_snapshot_ends_in_another_thread>(few), 10);
    EXPECT_GT(for_every_execution<a_snapshot_ends_in_another_thread_before_a_load>(few), 10);
}

TEST(atomic_pointers, two_operations_on_two_pointers_are_in_one_order) {
    EXPECT_GT(for_every_execution<two_store_and_load>(hardly), 10);
    EXPECT_GT(for_every_execution<two_store_and_read>(hardly), 10);
    EXPECT_GT(for_every_execution<two_exchange_and_compare>(hardly), 10);
    EXPECT_GT(for_every_execution<two_exchange_from_a_snapshot>(hardly), 10);
}

TEST(atomic_pointers, one_loads_an_alias_that_another_replaces) {
    EXPECT_GT(for_every_execution<one_loads_an_alias_that_another_replaces>(few), 10);
}

TEST(atomic_pointers, one_loads_a_weak_pointer_that_another_replaces) {
    EXPECT_GT(for_every_execution<one_loads_a_weak_pointer_that_another_replaces>(few), 10);
}
