// The records of aliases under the checker: a record is one thread's at a time, none is lost, and who takes one sees
// what the last one left.

#include <gtest/gtest.h>

#include "support/checked_atomic_pointer.hpp"
// After the names of the builtins.
#include <array>
#include <cstddef>
#include <set>

#include "support/checker.hpp"

namespace {

using alias_record = freehold::detail::basic_alias_record<support::checked_threading>;
using support::for_every_execution;

// No step after an operation: what a record holds is declared.
constexpr support::bounds some{.interruptions = 2, .surprises = 1, .steps_after = false};
constexpr std::size_t without_memory = 64;  // records

struct scenario {
    static constexpr std::size_t threads = 2;

    // Effects: does with the record what only its owner may.
    static void use(alias_record& mine) {
        support::wrote(&mine.object);
        support::wrote(&mine.handle);
    }

    alias_record* take() {
        alias_record* const taken = records.take();
        EXPECT_NE(taken, nullptr);
        use(*taken);
        return taken;
    }

    void give_back(alias_record* taken) {
        use(*taken);
        records.give_back(*taken);
    }

    // Effects: takes all records that need no memory but `count`.
    void leave_unused(std::size_t count) {
        for (std::size_t i = 0; i < without_memory - count; ++i) static_cast<void>(records.take());
    }

    // Expects that `count` records can be taken without memory, and no record twice.
    void expect_free(std::size_t count) {
        std::set<alias_record*> taken;
        for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(taken.insert(records.take()).second);
        EXPECT_FALSE(taken.contains(nullptr));
    }

    support::fresh_readers fresh;
    freehold::detail::basic_alias_records<support::checked_threading> records;
};

struct two_take_and_give_back : scenario {
    void run(std::size_t) {
        give_back(take());
        give_back(take());
    }

    void check() { expect_free(without_memory); }
};

// The last records that need no memory.
struct two_take_what_was_never_taken : scenario {
    two_take_what_was_never_taken() { leave_unused(2); }

    void run(std::size_t thread) { taken[thread] = take(); }

    void check() { EXPECT_NE(taken[0], taken[1]); }

    std::array<alias_record*, 2> taken{};
};

// While one looks at the first free record and its successor, another takes both and gives back the first.
struct one_takes_what_another_takes_and_gives_back : scenario {
    one_takes_what_another_takes_and_gives_back() {
        leave_unused(0);
        for (alias_record* each : free) records.give_back(*each);
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            taken[0] = take();
        } else {
            alias_record* const first = take();
            taken[1] = take();
            give_back(first);
        }
    }

    void check() {
        EXPECT_NE(taken[0], taken[1]);
        const std::set<alias_record*> all{taken[0], taken[1], records.take()};
        EXPECT_EQ(all, (std::set<alias_record*>{free.begin(), free.end()}));
    }

    std::array<alias_record*, 3> free{records.take(), records.take(), records.take()};
    std::array<alias_record*, 2> taken{};
};

struct two_need_memory : scenario {
    two_need_memory() { leave_unused(0); }

    void run(std::size_t) { give_back(take()); }

    void check() { expect_free(without_memory); }
};

// One takes what another has put into the list of a new segment.
struct three_need_memory : two_need_memory {
    static constexpr std::size_t threads = 3;
};

}  // namespace

TEST(alias_records, two_take_and_give_back) { EXPECT_GT(for_every_execution<two_take_and_give_back>(some), 10); }

TEST(alias_records, two_take_what_was_never_taken) {
    EXPECT_GT(for_every_execution<two_take_what_was_never_taken>(some), 10);
}

TEST(alias_records, one_takes_what_another_takes_and_gives_back) {
    EXPECT_GT(for_every_execution<one_takes_what_another_takes_and_gives_back>(some), 10);
}

TEST(alias_records, two_need_memory) { EXPECT_GT(for_every_execution<two_need_memory>(some), 10); }

TEST(alias_records, three_need_memory) { support::for_random_executions<three_need_memory>(5'000, 17, some); }
