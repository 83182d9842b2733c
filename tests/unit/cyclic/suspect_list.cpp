// suspect_list: what a search refers to while objects die and their blocks are given back.

#include <gtest/gtest.h>
#include <freehold/cyclic/detail/cyclic_header.hpp>
#include <freehold/cyclic/detail/suspect_list.hpp>

#include <cstddef>

using freehold::detail::cyclic_header;
using freehold::detail::suspect_list;

namespace {

// A search that has found `owner`, which is owned from outside, and `owned`.
struct search {
    search() {
        suspects.begin();
        EXPECT_TRUE(suspects.begin_with(owner));
        suspects.finish_gathering();
        EXPECT_EQ(suspects.next_to_explore(), &owner);
        EXPECT_TRUE(suspects.add_edge_to(owned));
        EXPECT_EQ(suspects.next_to_explore(), &owned);
        suspects.finish_exploring();
    }

    search(const search&) = delete;
    search& operator=(const search&) = delete;

    ~search() {
        suspects.give_up([](cyclic_header&) {});
    }

    cyclic_header owner{true};
    cyclic_header owned{true};
    suspect_list suspects;
};

}  // namespace

TEST(suspect_list, what_the_living_lead_to_is_no_suspect) {
    search tried;
    std::size_t budget = 10;
    EXPECT_EQ(tried.suspects.next_alive(budget), &tried.owner);
    EXPECT_TRUE(tried.suspects.acquit(tried.owned));
    EXPECT_FALSE(tried.owned.is(cyclic_header::suspected));
    EXPECT_EQ(tried.suspects.next_alive(budget), &tried.owned);
    EXPECT_EQ(tried.suspects.next_alive(budget), nullptr);
}

TEST(suspect_list, no_entry_refers_to_a_cell_that_was_removed) {
    search tried;
    std::size_t budget = 10;
    EXPECT_EQ(tried.suspects.next_alive(budget), &tried.owner);
    EXPECT_TRUE(tried.suspects.acquit(tried.owned));
    tried.suspects.remove(tried.owned);
    EXPECT_EQ(tried.suspects.next_alive(budget), nullptr);
    EXPECT_TRUE(tried.owned.is(cyclic_header::live));
}

TEST(suspect_list, large_parts_wait_until_small_ones_are_proved) {
    cyclic_header large(true);
    cyclic_header small(true);
    suspect_list suspects;
    suspects.begin();
    EXPECT_TRUE(suspects.begin_with(large));
    EXPECT_TRUE(suspects.begin_with(small));
    suspects.finish_gathering();
    while (suspects.next_to_explore() != nullptr) {
    }
    suspects.finish_exploring();
    large.set_edges(1);
    small.set_edges(1);
    std::size_t budget = 10;
    EXPECT_EQ(suspects.next_alive(budget), nullptr);
    suspects.finish_sifting();
    EXPECT_TRUE(suspects.is_proving_small_parts());
    EXPECT_EQ(suspects.next_to_prove(), &large);
    suspects.note_large(large);
    EXPECT_EQ(suspects.next_to_prove(), &small);
    suspects.note_tried(small);
    suspects.note_proof(2, 1);
    suspects.finish_round();
    EXPECT_TRUE(suspects.is_proving_small_parts()) << "that was of use";
    EXPECT_EQ(suspects.next_to_prove(), &small);
    suspects.note_tried(small);
    EXPECT_EQ(suspects.next_to_prove(), nullptr);
    suspects.finish_round();
    EXPECT_FALSE(suspects.is_proving_small_parts());
    EXPECT_EQ(suspects.next_to_prove(), &large);
    suspects.give_up([](cyclic_header&) {});
}
