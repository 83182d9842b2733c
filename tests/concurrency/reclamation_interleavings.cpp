// The protocols of hazard pointers and RCU in every order of their steps: what a reader protects is not reclaimed, and
// what is retired is reclaimed once. What the steps make visible to each other is tested in hazard_pointer.cpp and
// rcu_domain.cpp, under ThreadSanitizer.

#include <gtest/gtest.h>
#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include "support/interleaving.hpp"
#include "support/stepping_atomic.hpp"

namespace {

using freehold::detail::retired_lanes;
using freehold::detail::retired_object;
using freehold::detail::retiring_thread;
using support::for_every_interleaving;
using support::interleaving;

template <class T>
struct stepping : support::stepping_atomic<T> {
    using support::stepping_atomic<T>::stepping_atomic;
    stepping() : support::stepping_atomic<T>(T()) {}
};

struct no_fence {
    void light() const noexcept {}
    void heavy() noexcept {}
};

// Each retirement begins an examination.
template <std::size_t lanes>
struct stepping_threading {
    template <class T>
    using atomic = stepping<T>;

    using fence = no_fence;

    static constexpr std::uint64_t fence_period = 1;
    static constexpr std::uint64_t chunk = 1;
    static constexpr std::size_t lane_count = lanes;

    static void yield() noexcept {}
};

struct object : retired_object {
    object() noexcept {
        reclaim = [](retired_object* retired) noexcept { ++static_cast<object*>(retired)->reclaimed; };
    }

    int reclaimed = 0;
};

// What thread 0 reads is replaced by the others.
template <template <class> class Readers, std::size_t lane_count = 2>
struct scenario {
    using threading = stepping_threading<lane_count>;
    using readers = Readers<threading>;

    static constexpr std::size_t objects_of_a_thread = 5;

    // Regions announce numbers that differ from the first.
    scenario() {
        static_cast<void>(lanes.begin_examination());
        static_cast<void>(lanes.begin_examination());
    }

    void replace_and_retire(std::size_t writer) {
        auto& own = objects[writer];
        object* const old = source.exchange(&own[0], std::memory_order_acq_rel);
        lanes.retire(*old, sizeof(object), threads_of[writer]);
        // Others, that it is examined.
        for (std::size_t i = 1; i != own.size(); ++i) lanes.retire(own[i], sizeof(object), threads_of[writer]);
    }

    static void read(const object& seen) {
        for (int i = 0; i < 2; ++i) {
            EXPECT_EQ(seen.reclaimed, 0);
            interleaving::step();
        }
        EXPECT_EQ(seen.reclaimed, 0);
    }

    void check() {
        lanes.retire(*source.load(std::memory_order_acquire), sizeof(object), threads_of[0]);
        lanes.reclaim_all(threads_of[0]);
        EXPECT_EQ(first.reclaimed, 1);
        for (std::size_t writer = 1; writer != used; ++writer) {
            for (const object& each : objects[writer]) EXPECT_EQ(each.reclaimed, 1);
        }
    }

    std::size_t used = 2;
    object first;
    std::array<std::array<object, objects_of_a_thread>, 3> objects;
    std::array<retiring_thread, 3> threads_of{};
    stepping<object*> source = &first;
    retired_lanes<threading, readers> lanes;
};

using freehold::detail::hazard_readers;
using freehold::detail::rcu_readers;

// Twice: a reader that protects what it has seen first must not read what it sees then.
struct a_protected_object_is_replaced : scenario<hazard_readers> {
    static constexpr std::size_t threads = 2;

    a_protected_object_is_replaced() { used = 3; }

    void run(std::size_t thread) {
        if (thread == 1) {
            replace_and_retire(1);
            return replace_and_retire(2);
        }
        auto& slot = *lanes.readers.slots.acquire();
        object* seen = source.load(std::memory_order_relaxed);
        while (!lanes.readers.try_protect(slot, seen, seen, source)) {
        }
        read(*seen);
        readers::protect(slot, nullptr);
        lanes.readers.slots.release(slot);
    }
};

struct an_object_is_replaced_in_a_region : scenario<rcu_readers> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) return replace_and_retire(1);
        auto& slot = *lanes.readers.slots.acquire();
        lanes.readers.open(slot);
        read(*source.load(std::memory_order_acquire));
        lanes.readers.close(slot);
        lanes.readers.slots.release(slot);
    }
};

struct an_object_is_replaced_in_a_region_without_memory : scenario<rcu_readers> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) return replace_and_retire(1);
        lanes.readers.open_without_slot();
        read(*source.load(std::memory_order_acquire));
        lanes.readers.close_without_slot();
    }
};

template <template <class> class Readers, std::size_t lane_count = 2>
struct two_threads_retire : scenario<Readers, lane_count> {
    static constexpr std::size_t threads = 2;

    two_threads_retire() { this->used = 3; }

    void run(std::size_t thread) { this->replace_and_retire(thread + 1); }
};

// A hazard pointer that one thread gives back and another takes is never two threads'.
struct slots_change_hands {
    static constexpr std::size_t threads = 2;

    using slots_type = freehold::detail::reader_slots<stepping_threading<2>, std::uint64_t>;

    // Two slots are free.
    slots_change_hands() {
        auto& first = *slots.acquire();
        slots.release(*slots.acquire());
        slots.release(first);
    }

    typename slots_type::slot& acquire(std::uint64_t owner) {
        auto& slot = *slots.acquire();
        EXPECT_EQ(slot.value.load(std::memory_order_relaxed), 0U);
        slot.value.store(owner, std::memory_order_relaxed);
        return slot;
    }

    void release(typename slots_type::slot& slot, std::uint64_t owner) {
        EXPECT_EQ(slot.value.load(std::memory_order_relaxed), owner);
        slot.value.store(0, std::memory_order_relaxed);
        slots.release(slot);
    }

    void run(std::size_t thread) {
        auto& first = acquire(thread + 1);
        auto& second = acquire(thread + 1);
        release(first, thread + 1);
        auto& third = acquire(thread + 1);
        release(third, thread + 1);
        release(second, thread + 1);
    }

    void check() { EXPECT_LE(slots.size(), 4U); }

    slots_type slots;
};

constexpr std::size_t few = 2;
constexpr std::size_t some = 3;

}  // namespace

TEST(reclamation_interleavings, a_protected_object_is_replaced) {
    EXPECT_GT(for_every_interleaving<a_protected_object_is_replaced>(some), 1000);
}

TEST(reclamation_interleavings, an_object_is_replaced_in_a_region) {
    EXPECT_GT(for_every_interleaving<an_object_is_replaced_in_a_region>(some), 1000);
}

TEST(reclamation_interleavings, an_object_is_replaced_in_a_region_without_memory) {
    EXPECT_GT(for_every_interleaving<an_object_is_replaced_in_a_region_without_memory>(some), 1000);
}

TEST(reclamation_interleavings, two_threads_retire) {
    EXPECT_GT(for_every_interleaving<two_threads_retire<hazard_readers>>(few), 1000);
    EXPECT_GT(for_every_interleaving<two_threads_retire<rcu_readers>>(few), 1000);
}

TEST(reclamation_interleavings, two_threads_retire_in_one_lane) {
    EXPECT_GT((for_every_interleaving<two_threads_retire<hazard_readers, 1>>(few)), 1000);
}

TEST(reclamation_interleavings, slots_change_hands) {
    EXPECT_GT(for_every_interleaving<slots_change_hands>(some), 1000);
}
