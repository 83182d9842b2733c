// search_state: what a search refers to while objects die and their blocks are given back.

#include <gtest/gtest.h>
#include <freehold/cyclic/detail/cyclic_header.hpp>
#include <freehold/cyclic/detail/search_state.hpp>

#include <cstddef>

using freehold::detail::cyclic_header;
using freehold::detail::search_state;

namespace {

// A search that has found `owner`, which is owned from outside, and `owned`.
struct small_search {
    small_search() {
        state.begin();
        EXPECT_TRUE(state.begin_with(owner));
        state.finish_gathering();
        EXPECT_EQ(state.next_to_explore(), &owner);
        EXPECT_TRUE(state.add_edge_to(owned));
        EXPECT_EQ(state.next_to_explore(), &owned);
        state.finish_exploring();
    }

    small_search(const small_search&) = delete;
    small_search& operator=(const small_search&) = delete;

    ~small_search() {
        state.give_up([](cyclic_header&) {});
    }

    cyclic_header owner{true};
    cyclic_header owned{true};
    search_state state;
};

}  // namespace

TEST(search_state, what_the_living_lead_to_is_no_suspect) {
    small_search tried;
    std::size_t budget = 10;
    EXPECT_EQ(tried.state.next_alive(budget), &tried.owner);
    EXPECT_TRUE(tried.state.acquit(tried.owned));
    EXPECT_FALSE(tried.owned.is(cyclic_header::suspected));
    EXPECT_EQ(tried.state.next_alive(budget), &tried.owned);
    EXPECT_EQ(tried.state.next_alive(budget), nullptr);
}

TEST(search_state, no_entry_refers_to_a_cell_that_was_removed) {
    small_search tried;
    std::size_t budget = 10;
    EXPECT_EQ(tried.state.next_alive(budget), &tried.owner);
    EXPECT_TRUE(tried.state.acquit(tried.owned));
    tried.state.remove(tried.owned);
    EXPECT_EQ(tried.state.next_alive(budget), nullptr);
    EXPECT_TRUE(tried.owned.is(cyclic_header::live));
}

TEST(search_state, large_parts_wait_until_small_ones_are_proved) {
    cyclic_header large(true);
    cyclic_header small(true);
    search_state state;
    state.begin();
    EXPECT_TRUE(state.begin_with(large));
    EXPECT_TRUE(state.begin_with(small));
    state.finish_gathering();
    while (state.next_to_explore() != nullptr) {
    }
    state.finish_exploring();
    large.set_edges(1);
    small.set_edges(1);
    std::size_t budget = 10;
    EXPECT_EQ(state.next_alive(budget), nullptr);
    state.finish_sifting();
    EXPECT_TRUE(state.is_proving_small_parts());
    EXPECT_EQ(state.next_to_prove(), &large);
    state.note_large(large);
    EXPECT_EQ(state.next_to_prove(), &small);
    state.note_tried(small);
    state.note_proof(2, 1);
    state.finish_round();
    EXPECT_TRUE(state.is_proving_small_parts()) << "that was of use";
    EXPECT_EQ(state.next_to_prove(), &small);
    state.note_tried(small);
    EXPECT_EQ(state.next_to_prove(), nullptr);
    state.finish_round();
    EXPECT_FALSE(state.is_proving_small_parts());
    EXPECT_EQ(state.next_to_prove(), &large);
    state.give_up([](cyclic_header&) {});
}
