#include <gtest/gtest.h>
#include <freehold/core/threading.hpp>
#include <freehold/memory/detail/block_batch.hpp>
#include <freehold/memory/detail/remote_frees.hpp>
#include <freehold/memory/detail/slab.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "support/slab_memory.hpp"

namespace {

using freehold::detail::block_batch;
using freehold::detail::place_in_slab;
using freehold::detail::read_free;
using freehold::detail::slab;
using freehold::detail::slab_class;

// A heap that has nothing but an inbox.
struct home : freehold::detail::block_lists {
    freehold::detail::block_inbox<freehold::detail::process_threading>& inbox() { return in; }
    static void end_sampled(const void*) {}

    freehold::detail::block_inbox<freehold::detail::process_threading> in;
};

// A slab of the smallest blocks, by their places.
struct small_slab {
    place_in_slab place(std::size_t i) { return static_cast<place_in_slab>(128 / slab_class::granularity + i); }

    block_batch* batch(std::size_t at, const std::vector<place_in_slab>& batches,
                       const std::vector<place_in_slab>& blocks, std::size_t total) {
        return block_batch::write(memory->block_at(place(at)), {batches.data(), batches.size()},
                                  {blocks.data(), blocks.size()}, total);
    }

    support::slab_memory upstream;
    slab* memory = upstream.make_slab();
};

// Effects: adds the blocks of the batch, and of those in it.
void add_blocks(block_batch* batch, std::multiset<void*>& found) {
    while (read_free(batch).length > 0) {
        const place_in_slab place = batch->take_place();
        block_batch* const named = batch->block_at(place);
        if ((place & block_batch::holds_batch) != 0) {
            add_blocks(named, found);
        } else {
            found.insert(named);
        }
    }
    EXPECT_EQ(read_free(batch).blocks, 1U) << "the batch alone";
    found.insert(batch);
}

}  // namespace

TEST(block_batch, what_a_batch_can_name_fits_into_its_block) {
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        const std::size_t bytes = slab_class::bytes_of(each);
        const std::size_t capacity = block_batch::capacity(bytes);
        EXPECT_LE(block_batch::bytes(capacity), bytes);
        EXPECT_TRUE(capacity == UINT8_MAX || block_batch::bytes(capacity + 1) > bytes) << bytes;
    }
}

TEST(block_batch, every_place_of_a_slab_is_told_from_that_of_a_batch) {
    small_slab small;
    for (std::size_t at = sizeof(slab); at < freehold::detail::slab_bytes; at += slab_class::granularity) {
        const place_in_slab place = small.memory->place_of(small.memory->memory() + at);
        ASSERT_LT(place, block_batch::holds_batch);
        ASSERT_EQ(small.memory->block_at(place), small.memory->memory() + at);
    }
}

TEST(block_batch, a_batch_alone_has_one_block) {
    small_slab small;
    const block_batch* const alone = small.batch(0, {}, {}, 1);
    EXPECT_EQ(read_free(alone).length, 0U);
    EXPECT_EQ(read_free(alone).blocks, 1U);
}

TEST(block_batch, each_block_is_taken_out_once_and_counted) {
    small_slab small;
    const std::vector<place_in_slab> named{small.place(7), small.place(2), small.place(4095 - 8)};
    block_batch* const batch = small.batch(1, {}, named, 4);
    std::vector<place_in_slab> taken;
    for (std::uint8_t left = 3; left > 0; --left) {
        taken.push_back(batch->take_place());
        EXPECT_EQ(read_free(batch).blocks, left);
    }
    EXPECT_TRUE(std::ranges::is_permutation(taken, named));
}

TEST(block_batch, a_batch_that_is_taken_out_takes_its_blocks_along) {
    small_slab small;
    static_cast<void>(small.batch(10, {}, {small.place(11), small.place(12)}, 3));
    static_cast<void>(small.batch(20, {}, {small.place(21)}, 2));
    block_batch* const outer = small.batch(0, {small.place(10), small.place(20)}, {small.place(1)}, 7);
    std::vector<std::size_t> left{read_free(outer).blocks};
    while (read_free(outer).length > 0) {
        static_cast<void>(outer->take_place());
        left.push_back(read_free(outer).blocks);
    }
    EXPECT_EQ(left, (std::vector<std::size_t>{7, 5, 2, 1}));
}

// For every size and number: so also for batches in batches, and more blocks than one batch can hold with them.
TEST(block_batch, what_is_sent_home_says_how_many_blocks_it_is_and_names_each_once) {
    support::slab_memory upstream;
    slab* const origin = upstream.make_slab();
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        const std::size_t bytes = slab_class::bytes_of(each);
        const freehold::detail::block_layout layout = freehold::detail::layout_of_slab(sizeof(slab), bytes);
        for (std::size_t blocks = 1; blocks <= std::min(layout.count, slab::max_batch + 3); ++blocks) {
            home owner;
            origin->home = &owner;
            origin->block_class = static_cast<std::uint16_t>(each);
            origin->batch_length = slab::max_batch;
            std::multiset<void*> sent;
            freehold::detail::remote_frees<home> waiting;
            for (std::size_t i = 0; i < blocks; ++i) {
                std::byte* const block = origin->memory() + layout.first + i * bytes;
                freehold::detail::annotate_free(block, bytes);
                sent.insert(block);
                waiting.add(block, origin);
            }
            waiting.flush();
            std::multiset<void*> found;
            std::size_t counted = 0;
            block_batch* next = owner.inbox().take();
            while (next != nullptr) {
                block_batch* const batch = next;
                next = batch->following();
                counted += read_free(batch).blocks;
                add_blocks(batch, found);
            }
            ASSERT_EQ(counted, blocks) << bytes;
            ASSERT_EQ(found, sent) << blocks << " blocks of " << bytes;
        }
    }
}

TEST(block_batch, a_block_waits_for_at_most_256_others_before_it_is_sent_home) {
    support::slab_memory upstream;
    home owner;
    freehold::detail::remote_frees<home> waiting;
    slab* const first = upstream.make_slab();
    slab* second = upstream.make_slab();
    const auto entry_of = [](const slab* each) {
        return reinterpret_cast<std::uintptr_t>(each) / freehold::detail::slab_bytes % 8;
    };
    while (entry_of(first) == entry_of(second)) second = upstream.make_slab();
    for (slab* const each : {first, second}) {
        each->home = &owner;
        each->block_class = 1;
        each->batch_length = 8;
    }
    const auto block_in = [](slab* each, std::size_t i) { return each->memory() + sizeof(slab) + 16 * i; };
    waiting.add(block_in(first, 0), first);
    bool is_sent = false;
    for (std::size_t i = 0; i < 256; ++i) {
        waiting.add(block_in(second, i), second);
        for (block_batch* each = owner.inbox().take(); each != nullptr; each = each->following()) {
            is_sent = is_sent || slab::of(each) == first;
        }
    }
    EXPECT_TRUE(is_sent);
}
