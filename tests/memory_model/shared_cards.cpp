// The cards of a heap that threads share, under the checker: whatever is stored, a collection looks at.

#include <freehold/traced/detail/traced_chunk.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using freehold::detail::traced_chunk;

// A card with its slots, into which threads store.
struct shared_card {
    void store(std::size_t thread, std::size_t slot) {
        const void* const its = &slots[slot];
        stored.push_back(slot);
        const void* const to_list = traced_chunk::note_shared_store<support::checked_threading>(noted, its);
        if (to_list != nullptr) listed[thread].push_back(to_list);
    }

    [[nodiscard]] bool is_looked_at(std::size_t slot) const {
        for (const auto& each : listed) {
            for (const void* const from : each) {
                const std::span<const std::byte> seen = traced_chunk::stored_into(noted, from);
                const auto* const its = reinterpret_cast<const std::byte*>(&slots[slot]);
                if (its >= seen.data() && its < seen.data() + seen.size()) return true;
            }
        }
        return false;
    }

    void check() {
        for (const std::size_t slot : stored) EXPECT_TRUE(is_looked_at(slot)) << slot;
    }

    alignas(traced_chunk::card_bytes) const void* slots[traced_chunk::card_bytes / sizeof(void*)] = {};
    std::uint8_t noted = traced_chunk::clean;
    std::vector<const void*> listed[3];
    std::vector<std::size_t> stored;
};

struct two_threads_store_into_slots_of_a_card : shared_card {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        store(thread, thread);
        store(thread, 2 + thread);
    }
};

// One has found the card clean while another has made it dirty.
struct three_threads_store_into_a_card : shared_card {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        store(thread, thread);
        if (thread == 0) {
            store(thread, 3);
            store(thread, 4);
        }
    }
};

constexpr support::bounds some{.interruptions = 3, .surprises = 2, .steps_after = false};

}  // namespace

TEST(checked_cards, two_threads_store_into_slots_of_a_card) {
    EXPECT_GT(support::for_every_execution<two_threads_store_into_slots_of_a_card>(some), 10);
}

TEST(checked_cards, three_threads_store_into_a_card) {
    EXPECT_GT(support::for_every_execution<three_threads_store_into_a_card>(some), 10);
}

TEST(checked_cards, one_store_is_one_slot) {
    shared_card card;
    card.store(0, 5);
    card.store(0, 5);
    EXPECT_EQ(card.listed[0].size(), 1U);
    EXPECT_TRUE(card.is_looked_at(5));
    EXPECT_FALSE(card.is_looked_at(4));
}
