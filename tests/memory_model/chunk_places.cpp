// The table of a heap's chunks under the checker: a thread that looks one up while another adds one, or builds a larger
// table, finds what was there before, and sees a chunk that it finds as it was added.

#include <gtest/gtest.h>

#include <freehold/traced/detail/chunk_places.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;

constexpr std::size_t alignment = 64;

struct alignas(alignment) checked_chunk {
    support::plain<int> value = 0;
};

struct scenario {
    static constexpr std::size_t threads = 2;

    // Effects: adds the chunk of that number, as a heap does.
    void add(std::size_t number) {
        chunks[number].value.set(1);
        places.reserve(number + 1, [&](auto add_again) {
            for (std::size_t i = 0; i < number; ++i) add_again(&chunks[i], &chunks[i]);
        });
        places.add(&chunks[number], &chunks[number]);
    }

    // Returns: whether the chunk is found. What is found is read.
    bool finds(std::size_t number) {
        if (!places.has_room()) return false;
        const auto is_it = [&](const checked_chunk& each) { return &each == &chunks[number]; };
        const checked_chunk* const found = places.find(&chunks[number], is_it);
        if (found == nullptr) return false;
        EXPECT_EQ(found, &chunks[number]);
        EXPECT_EQ(chunks[number].value.get(), 1);
        return true;
    }

    void check() {}

    std::array<checked_chunk, 5> chunks;
    freehold::detail::chunk_places<checked_chunk, alignment, support::checked_threading> places;
};

// The table is made while another thread looks.
struct the_first_is_added : scenario {
    void run(std::size_t thread) { thread == 0 ? add(0) : static_cast<void>(finds(0)); }

    void check() { EXPECT_TRUE(finds(0)); }
};

struct one_is_added_beside_another : scenario {
    one_is_added_beside_another() { add(0); }

    void run(std::size_t thread) {
        if (thread == 0) {
            add(1);
        } else {
            EXPECT_TRUE(finds(0));
            static_cast<void>(finds(1));
        }
    }

    void check() { EXPECT_TRUE(finds(0) && finds(1)); }
};

// The table is full: there is room for two in the first one.
struct the_table_grows : scenario {
    the_table_grows() {
        add(0);
        add(1);
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            add(2);
        } else {
            EXPECT_TRUE(finds(1));
            static_cast<void>(finds(2));
            EXPECT_TRUE(finds(0));
        }
    }

    void check() { EXPECT_TRUE(finds(0) && finds(1) && finds(2)); }
};

// Nobody looks meanwhile, as where sessions are stopped. The chunks before are as they were.
struct chunks_are_given_back : scenario {
    static constexpr std::size_t threads = 1;

    chunks_are_given_back() {
        for (std::size_t i = 0; i < chunks.size(); ++i) add(i);
    }

    void run(std::size_t) {
        places.rebuild([this](auto add_again) {
            for (const std::size_t i : {1U, 4U}) add_again(&chunks[i], &chunks[i]);
        });
        for (std::size_t i = 0; i < chunks.size(); ++i) EXPECT_EQ(finds(i), i == 1 || i == 4);
    }
};

constexpr support::bounds some{.interruptions = 2, .surprises = 2, .steps_after = false};

}  // namespace

TEST(checked_chunk_places, the_first_chunk_is_added) { EXPECT_GT(for_every_execution<the_first_is_added>(some), 2); }

TEST(checked_chunk_places, one_is_added_beside_another) {
    EXPECT_GT(for_every_execution<one_is_added_beside_another>(some), 2);
}

TEST(checked_chunk_places, the_table_grows) { EXPECT_GT(for_every_execution<the_table_grows>(some), 2); }

TEST(checked_chunk_places, chunks_are_given_back) { for_every_execution<chunks_are_given_back>(some); }
