// The records of readers under the checker: no two threads have one, who takes it sees it as it was left, and a walk
// finds those in use.

#include <gtest/gtest.h>
#include <freehold/core/record_table.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <set>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::checked_threading;
using support::for_every_execution;
using support::plain;

// Groups of two records, of which the first is in place, and memory for another one.
struct few_records {
    static constexpr std::uint32_t records_in_group = 2;
    static constexpr bool is_first_group_in_place = true;

    // Each thread may allocate the segment.
    static void* allocate(std::size_t bytes) {
        std::byte* const first = memory[allocated++].data();
        for (std::size_t i = 0; i < bytes; i += 8) support::wrote(first + i);  // the zeros
        return first;
    }
    static void free(void*, std::size_t) {}

    static inline std::size_t allocated;
    alignas(64) static inline std::array<std::array<std::byte, 256>, 2> memory;
};

struct alignas(64) record : freehold::detail::table_entry<checked_threading> {
    support::checked_atomic<std::uint64_t> value = 0;
};

struct scenario {
    static constexpr std::size_t threads = 2;

    scenario() { few_records::allocated = 0; }

    freehold::detail::record_table<checked_threading, record, few_records> records;
};

// A record that one thread gives back and another takes is never two threads'.
struct records_change_hands : scenario {
    void run(std::size_t thread) {
        for (int i = 0; i < 2; ++i) {
            record& mine = *records.acquire();
            EXPECT_EQ(mine.value.load(std::memory_order_relaxed), 0U);
            mine.value.store(thread + 1, std::memory_order_relaxed);
            EXPECT_EQ(mine.value.load(std::memory_order_relaxed), thread + 1);
            used[mine.index].set(used[mine.index].get() + 1);
            mine.value.store(0, std::memory_order_relaxed);
            records.release(mine);
        }
    }

    void check() { EXPECT_LE(records.made(), 2U); }

    std::array<plain<int>, 2> used;  // as memory that belongs to a record: its last owner's writes happen before
};

// What another thread gives back is seen as it left it: no record gets lost.
struct records_are_given_back : scenario {
    void run(std::size_t thread) {
        if (thread == 0) {
            records.release(*first);
            records.release(*second);
        } else {
            taken = records.acquire();
        }
    }

    void check() {
        records.release(*taken);
        const std::uint32_t made = records.made();
        for (std::uint32_t i = 0; i != made; ++i) static_cast<void>(records.acquire());
        EXPECT_EQ(records.made(), made);
    }

    record* second = records.acquire();
    record* first = records.acquire();
    record* taken = nullptr;
};

// While one looks at the first free record and its successor, another takes both and gives back the first.
struct one_takes_what_another_takes_and_gives_back : scenario {
    one_takes_what_another_takes_and_gives_back() {
        for (record* each : free) records.release(*each);
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            taken[0] = records.acquire();
        } else {
            record* const first = records.acquire();
            taken[1] = records.acquire();
            records.release(*first);
        }
    }

    void check() {
        EXPECT_NE(taken[0], taken[1]);
        const std::set<record*> all{taken[0], taken[1], records.acquire()};
        EXPECT_EQ(all, (std::set<record*>{free.begin(), free.end()}));
    }

    std::array<record*, 3> free{records.acquire(), records.acquire(), records.acquire()};
    std::array<record*, 2> taken{};
};

// The first record of another segment is seen with its memory.
struct a_record_of_another_segment_is_given_back : scenario {
    a_record_of_another_segment_is_given_back() {
        for (int i = 0; i < 2; ++i) static_cast<void>(records.acquire());
    }

    void run(std::size_t) {
        record& mine = *records.acquire();
        EXPECT_EQ(mine.value.load(std::memory_order_relaxed), 0U);
        records.release(mine);
    }

    void check() { EXPECT_LE(records.made(), 4U); }
};

// Both may allocate the segment. Their records are in the same one.
struct two_begin_a_segment : a_record_of_another_segment_is_given_back {
    void run(std::size_t thread) { taken[thread] = records.acquire(); }

    void check() {
        std::set<record*> found;
        records.for_each([&found](record& each) { found.insert(&each); });
        EXPECT_EQ(found.size(), 4U);
        EXPECT_TRUE(found.contains(taken[0]) && found.contains(taken[1]));
    }

    std::array<record*, 2> taken{};
};

// What a thread has announced, or what it does not see, decides whether a walk after a fence finds its record.
struct one_walks_while_another_begins : scenario {
    explicit one_walks_while_another_begins(int before) {
        for (int i = 0; i < before; ++i) static_cast<void>(records.acquire());
    }
    one_walks_while_another_begins() : one_walks_while_another_begins(0) {}

    void run(std::size_t thread) {
        if (thread == 0) {
            record& mine = *records.acquire();
            mine.value.store(1, std::memory_order_relaxed);
            support::checked_asymmetric_fence::light();
            sees_change = is_changed.load(std::memory_order_relaxed) != 0;
        } else {
            is_changed.store(1, std::memory_order_relaxed);
            support::checked_asymmetric_fence::heavy();
            records.for_each(
                [this](record& each) { found += each.value.load(std::memory_order_relaxed) == 1 ? 1 : 0; });
        }
    }

    void check() { EXPECT_TRUE(sees_change || found == 1); }

    support::checked_atomic<int> is_changed = 0;
    bool sees_change = false;
    int found = 0;
};

// The same, if its record is the first one of another segment.
struct one_walks_while_another_begins_a_segment : one_walks_while_another_begins {
    one_walks_while_another_begins_a_segment() : one_walks_while_another_begins(2) {}
};

// Who finds that a record is not in use any more finds what its thread has done before.
struct one_walks_while_another_ends : scenario {
    void run(std::size_t thread) {
        if (thread == 0) {
            used.set(1);
            records.release(*mine);
        } else {
            bool is_found = false;
            records.for_each([&is_found](record&) { is_found = true; });
            if (!is_found) used.set(2);
        }
    }

    void check() {}

    record* mine = records.acquire();
    plain<int> used = 0;
};

// A record that has another thread now is not taken out of the walks by the one that gave it back.
struct one_takes_what_another_gives_back : scenario {
    void run(std::size_t thread) {
        if (thread == 0) {
            records.release(*mine);
        } else {
            taken = records.acquire();
        }
    }

    void check() {
        bool is_found = false;
        records.for_each([&](record& each) { is_found |= &each == taken; });
        EXPECT_TRUE(is_found);
    }

    record* mine = records.acquire();
    record* taken = nullptr;
};

// No step after an operation: all data is plain.
constexpr support::bounds some{.interruptions = 2, .surprises = 2, .steps_after = false};
constexpr support::bounds few{.interruptions = 2, .surprises = 1, .steps_after = false};

}  // namespace

TEST(record_table, records_change_hands) { EXPECT_GT(for_every_execution<records_change_hands>(some), 10); }

TEST(record_table, records_are_given_back) { EXPECT_GT(for_every_execution<records_are_given_back>(some), 10); }

TEST(record_table, one_takes_what_another_takes_and_gives_back) {
    EXPECT_GT(for_every_execution<one_takes_what_another_takes_and_gives_back>(few), 10);
}

TEST(record_table, a_record_of_another_segment_is_given_back) {
    EXPECT_GT(for_every_execution<a_record_of_another_segment_is_given_back>(few), 10);
}

TEST(record_table, two_begin_a_segment) { EXPECT_GT(for_every_execution<two_begin_a_segment>(few), 10); }

TEST(record_table, one_walks_while_another_begins) {
    EXPECT_GT(for_every_execution<one_walks_while_another_begins>(some), 10);
    EXPECT_GT(for_every_execution<one_walks_while_another_begins_a_segment>(some), 10);
}

TEST(record_table, one_walks_while_another_begins_without_membarrier) {
    const support::without_membarrier full;
    EXPECT_GT(for_every_execution<one_walks_while_another_begins>(some), 10);
    EXPECT_GT(for_every_execution<one_walks_while_another_begins_a_segment>(some), 10);
}

TEST(record_table, one_walks_while_another_ends) {
    EXPECT_GT(for_every_execution<one_walks_while_another_ends>(some), 10);
}

TEST(record_table, one_takes_what_another_gives_back) {
    EXPECT_GT(for_every_execution<one_takes_what_another_gives_back>(few), 10);
}
