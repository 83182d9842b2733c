// What threads do with it at once is tested in memory_model/record_table.cpp.

#include <gtest/gtest.h>
#include <freehold/core/record_table.hpp>
#include <freehold/core/threading.hpp>

#include <cstdint>
#include <set>
#include <vector>

namespace {

using freehold::detail::process_threading;

template <bool IsFirstInPlace>
struct limits : freehold::detail::process_records {
    static constexpr bool is_first_group_in_place = IsFirstInPlace;
};

struct alignas(64) record : freehold::detail::table_entry<process_threading> {
    int value = 5;
};

template <class Limits>
struct record_table : testing::Test {
    std::set<record*> in_use() {
        std::set<record*> found;
        records.for_each([&found](record& each) { found.insert(&each); });
        return found;
    }

    std::set<record*> acquire(int count) {
        std::set<record*> acquired;
        for (int i = 0; i != count; ++i) acquired.insert(records.acquire());
        return acquired;
    }

    freehold::detail::record_table<process_threading, record, Limits> records;
};

using in_place_or_not = testing::Types<limits<true>, limits<false>>;
TYPED_TEST_SUITE(record_table, in_place_or_not, );

}  // namespace

TYPED_TEST(record_table, has_no_record_at_first) { EXPECT_TRUE(this->in_use().empty()); }

TYPED_TEST(record_table, a_walk_finds_all_that_are_in_use) {
    const auto all = this->acquire(1'000);
    EXPECT_EQ(all.size(), 1'000U);
    EXPECT_EQ(this->in_use(), all);
}

TYPED_TEST(record_table, a_walk_leaves_out_what_was_released) {
    auto all = this->acquire(1'000);
    for (int i = 0; i != 900; ++i) this->records.release(*all.extract(all.begin()).value());
    EXPECT_EQ(this->in_use(), all);
}

TYPED_TEST(record_table, a_record_is_reused) {
    for (auto* each : this->acquire(100)) this->records.release(*each);
    this->acquire(100);
    EXPECT_EQ(this->records.made(), 100U);
}

TYPED_TEST(record_table, a_walk_finds_a_record_that_is_used_again) {
    this->records.release(*this->records.acquire());
    const auto again = this->acquire(1);
    EXPECT_EQ(this->in_use(), again);
}

TYPED_TEST(record_table, a_record_is_made_once) {
    auto* const first = this->records.acquire();
    EXPECT_EQ(first->value, 5);
    first->value = 7;
    this->records.release(*first);
    EXPECT_EQ(this->records.acquire()->value, 7);
}

TYPED_TEST(record_table, a_walk_goes_on_where_it_stopped) {
    const auto all = this->acquire(200);
    typename decltype(this->records)::walk walk;
    std::vector<record*> found;
    const auto visit = [&found](auto& each) {
        found.push_back(&each);
        return true;
    };
    while (!walk.advance(this->records, 3, visit)) {
    }
    EXPECT_EQ(found.size(), 200U);
    EXPECT_EQ(std::set(found.begin(), found.end()), all);
}

TYPED_TEST(record_table, a_walk_begins_with_the_record_that_stopped_it) {
    this->acquire(3);
    typename decltype(this->records)::walk walk;
    std::vector<record*> found;
    const auto stop = [&found](auto& each) {
        found.push_back(&each);
        return false;
    };
    EXPECT_FALSE(walk.advance(this->records, 100, stop));
    EXPECT_FALSE(walk.advance(this->records, 100, stop));
    EXPECT_EQ(found, (std::vector(2, found[0])));
}

// Threads that have ended cost a look at a word for each 64.
TYPED_TEST(record_table, a_walk_through_records_of_the_past_takes_a_64th_of_the_steps) {
    for (auto* each : this->acquire(6'400)) this->records.release(*each);
    typename decltype(this->records)::walk walk;
    EXPECT_FALSE(walk.advance(this->records, 99, [](auto&) { return true; }));
    EXPECT_TRUE(walk.advance(this->records, 2, [](auto&) { return true; }));
}
