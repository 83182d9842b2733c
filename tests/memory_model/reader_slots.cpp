// The slots of readers under the checker: no two threads have one, and who takes it sees it as it was left.

#include <gtest/gtest.h>
#include <freehold/reclamation/detail/reader_slots.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <set>

#include "support/checked_atomic.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;
using support::plain;

struct checked_threading {
    template <class T>
    using atomic = support::checked_atomic<T>;
};

// A hazard pointer that one thread gives back and another takes is never two threads'.
struct slots_change_hands {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        for (int i = 0; i < 2; ++i) {
            auto& slot = *slots.acquire();
            EXPECT_EQ(slot.value.load(std::memory_order_relaxed), 0U);
            slot.value.store(thread + 1, std::memory_order_relaxed);
            EXPECT_EQ(slot.value.load(std::memory_order_relaxed), thread + 1);
            used[slot.index].set(used[slot.index].get() + 1);
            slot.value.store(0, std::memory_order_relaxed);
            slots.release(slot);
        }
    }

    void check() { EXPECT_LE(slots.size(), 2U); }

    freehold::detail::reader_slots<checked_threading, std::uint64_t> slots;
    std::array<plain<int>, 2> used;  // as memory that belongs to a slot: its last owner's writes happen before
};

// What another thread gives back is seen as it left it: no slot gets lost.
struct slots_are_given_back {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            slots.release(*first);
            slots.release(*second);
        } else {
            taken = slots.acquire();
        }
    }

    void check() {
        slots.release(*taken);
        const std::uint32_t made = slots.size();
        for (std::uint32_t i = 0; i != made; ++i) static_cast<void>(slots.acquire());
        EXPECT_EQ(slots.size(), made);
    }

    using slots_type = freehold::detail::reader_slots<checked_threading, std::uint64_t>;

    slots_type slots;
    slots_type::slot* second = slots.acquire();
    slots_type::slot* first = slots.acquire();
    slots_type::slot* taken = nullptr;
};

// While one looks at the first free slot and its successor, another takes both and gives back the first.
struct one_takes_what_another_takes_and_gives_back {
    static constexpr std::size_t threads = 2;

    one_takes_what_another_takes_and_gives_back() {
        for (slots_type::slot* each : free) slots.release(*each);
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            taken[0] = slots.acquire();
        } else {
            slots_type::slot* const first = slots.acquire();
            taken[1] = slots.acquire();
            slots.release(*first);
        }
    }

    void check() {
        EXPECT_NE(taken[0], taken[1]);
        const std::set<slots_type::slot*> all{taken[0], taken[1], slots.acquire()};
        EXPECT_EQ(all, (std::set<slots_type::slot*>{free.begin(), free.end()}));
    }

    using slots_type = freehold::detail::reader_slots<checked_threading, std::uint64_t>;

    slots_type slots;
    std::array<slots_type::slot*, 3> free{slots.acquire(), slots.acquire(), slots.acquire()};
    std::array<slots_type::slot*, 2> taken{};
};

// The first slot of another segment is seen with its memory.
struct a_slot_of_another_segment_is_given_back {
    static constexpr std::size_t threads = 2;

    a_slot_of_another_segment_is_given_back() {
        for (int i = 0; i < 64; ++i) static_cast<void>(slots.acquire());
    }
    a_slot_of_another_segment_is_given_back(const a_slot_of_another_segment_is_given_back&) = delete;
    a_slot_of_another_segment_is_given_back& operator=(const a_slot_of_another_segment_is_given_back&) = delete;
    ~a_slot_of_another_segment_is_given_back() { ::operator delete(&slots[64], std::align_val_t{64}); }

    void run(std::size_t) {
        auto& slot = *slots.acquire();
        EXPECT_EQ(slot.value.load(std::memory_order_relaxed), 0U);
        slots.release(slot);
    }

    void check() { EXPECT_LE(slots.size(), 66U); }

    freehold::detail::reader_slots<checked_threading, std::uint64_t> slots;
};

// A slot that is counted can be read, also the first one of another segment.
struct slots_are_allocated {
    static constexpr std::size_t threads = 3;

    slots_are_allocated() {
        for (int i = 0; i < 64; ++i) static_cast<void>(slots.acquire());
    }
    slots_are_allocated(const slots_are_allocated&) = delete;
    slots_are_allocated& operator=(const slots_are_allocated&) = delete;
    ~slots_are_allocated() { ::operator delete(&slots[64], std::align_val_t{64}); }

    void run(std::size_t thread) {
        if (thread != 0) return static_cast<void>(slots.acquire());
        for (std::uint32_t i = 64; i < slots.size(); ++i) {
            EXPECT_EQ(slots[i].value.load(std::memory_order_relaxed), 0U);
        }
    }

    void check() { EXPECT_EQ(slots.size(), 66U); }

    freehold::detail::reader_slots<checked_threading, std::uint64_t> slots;
};

// No step after an operation: all data is plain.
constexpr support::bounds some{.interruptions = 2, .surprises = 2, .steps_after = false};
constexpr support::bounds few{.interruptions = 2, .surprises = 1, .steps_after = false};

}  // namespace

TEST(reader_slots, slots_change_hands) { EXPECT_GT(for_every_execution<slots_change_hands>(some), 10); }

TEST(reader_slots, slots_are_given_back) { EXPECT_GT(for_every_execution<slots_are_given_back>(some), 10); }

TEST(reader_slots, one_takes_what_another_takes_and_gives_back) {
    EXPECT_GT(for_every_execution<one_takes_what_another_takes_and_gives_back>(few), 10);
}

TEST(reader_slots, a_slot_of_another_segment_is_given_back) {
    EXPECT_GT(for_every_execution<a_slot_of_another_segment_is_given_back>(few), 10);
}

TEST(reader_slots, slots_are_allocated) { support::for_random_executions<slots_are_allocated>(10'000, 17, some); }
