#include <gtest/gtest.h>
#include <freehold/memory/detail/block_batch.hpp>
#include <freehold/memory/detail/slab.hpp>
#include <freehold/memory/detail/slab_heap.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <freehold/core/alignment.hpp>
#include <freehold/core/annotate.hpp>
#include <freehold/core/block_arithmetic.hpp>

#include "support/slab_memory.hpp"

namespace {

using freehold::detail::block_batch;
using freehold::detail::place_in_slab;
using freehold::detail::slab;
using freehold::detail::slab_class;

constexpr std::size_t current_slabs = 4;  // of a class, at most

std::size_t blocks_in_slab(std::size_t block_class) {
    return freehold::detail::layout_of_slab(sizeof(slab), slab_class::bytes_of(block_class)).count;
}

struct heap : freehold::detail::slab_heap<slab_class> {
    using slab_heap::arrive;
};

// A heap, and slabs for it.
struct heap_with_slabs {
    // Returns: a block, also from a slab that was empty or a fresh one.
    [[nodiscard]] void* allocate(std::size_t block_class) {
        void* block = tested.find(block_class);
        if (block == nullptr) {
            slab* fresh = tested.pop_empty();
            if (fresh == nullptr && !spare.empty()) {
                fresh = spare.back();
                spare.pop_back();
            }
            tested.open(fresh != nullptr ? fresh : upstream.make_slab(), block_class, &tested);
            block = tested.find(block_class);
        }
        const std::size_t bytes = slab_class::bytes_of(block_class);
        freehold::detail::annotate_allocated(block, bytes);
        std::memset(block, 0xA5, bytes);
        return block;
    }

    [[nodiscard]] std::vector<void*> allocate(std::size_t block_class, std::size_t blocks) {
        std::vector<void*> taken(blocks);
        for (void*& block : taken) block = allocate(block_class);
        return taken;
    }

    // Returns: the blocks of a slab that was put aside, all in use. The others in use stay so.
    [[nodiscard]] std::vector<void*> fill_and_put_aside(std::size_t block_class) {
        std::vector<void*> blocks = allocate(block_class, blocks_in_slab(block_class));
        others = allocate(block_class, current_slabs * blocks_in_slab(block_class));
        return blocks;
    }

    void free(void* block) {
        slab* const origin = slab::of(block);
        freehold::detail::annotate_free(block, origin->block_bytes());
        if (tested.push_any(block, origin)) tested.requeue(origin);
    }

    // Effects: frees blocks of one slab as another thread does. Requires: one batch can name them.
    void free_as_batch(std::vector<void*> blocks) {
        slab* const origin = slab::of(blocks.front());
        for (void* const block : blocks) freehold::detail::annotate_free(block, origin->block_bytes());
        std::vector<place_in_slab> places;
        for (std::size_t i = 1; i < blocks.size(); ++i) places.push_back(origin->place_of(blocks[i]));
        tested.arrive(block_batch::write(blocks.front(), {}, {places.data(), places.size()}, blocks.size()));
    }

    void put_all_aside() {
        tested.put_all_aside(&tested, [this](void* block) { sent_home.push_back(block); });
    }

    // Effects: all steps of a second. Returns: the bytes that were discarded; they are 0 from now on.
    std::size_t discard_idle(std::uint16_t second) {
        std::size_t discarded = 0;
        const auto send_home = [this](void* block) { sent_home.push_back(block); };
        const auto discard = [&](void* begin, std::size_t bytes) {
            discarded += bytes;
            freehold::detail::annotate_allocated(begin, bytes);
            std::memset(begin, 0, bytes);
        };
        steps = 0;
        do {
            tested.discard_idle(second, &tested, send_home, discard);
            ++steps;
        } while (tested.is_idle_step_due());
        return discarded;
    }

    void take_in_rounds(bool are_rounds) {
        tested.take_in_rounds(are_rounds);
        if (are_rounds) put_all_aside();
    }

    support::slab_memory upstream;
    std::vector<slab*> spare;
    std::vector<void*> others;
    std::vector<void*> sent_home;
    int steps = 0;  // of the last discard_idle()
    heap tested;
};

std::set<void*> set_of(const std::vector<void*>& blocks) { return {blocks.begin(), blocks.end()}; }

}  // namespace

TEST(slab_heap, a_fresh_slab_serves_each_of_its_blocks_once) {
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        heap_with_slabs heaps;
        const std::vector<void*> blocks = heaps.allocate(each, blocks_in_slab(each));
        EXPECT_EQ(heaps.tested.find(each), nullptr);
        ASSERT_EQ(set_of(blocks).size(), blocks.size());
        for (void* const block : blocks) {
            ASSERT_EQ(slab::of(block), slab::of(blocks.front()));
            const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - slab::of(block)->memory());
            ASSERT_GE(offset, sizeof(slab));
            ASSERT_LE(offset + slab_class::bytes_of(each), freehold::detail::slab_bytes);
        }
    }
}

TEST(slab_heap, a_slab_is_empty_exactly_when_its_last_block_is_freed) {
    std::mt19937 random(1);
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        heap_with_slabs heaps;
        std::vector<void*> blocks = heaps.fill_and_put_aside(each);
        std::ranges::shuffle(blocks, random);
        for (void* const block : blocks) {
            ASSERT_FALSE(heaps.tested.has_empty()) << slab_class::bytes_of(each);
            heaps.free(block);
        }
        EXPECT_EQ(heaps.tested.pop_empty(), slab::of(blocks.front())) << slab_class::bytes_of(each);
        EXPECT_EQ(heaps.tested.pop_empty(), nullptr);
    }
}

TEST(slab_heap, a_slab_is_empty_exactly_when_its_last_block_comes_home_in_a_batch) {
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        for (const std::size_t length : {1U, 2U, 3U}) {
            heap_with_slabs heaps;
            const std::vector<void*> blocks = heaps.fill_and_put_aside(each);
            for (std::size_t i = 0; i < blocks.size(); i += length) {
                ASSERT_FALSE(heaps.tested.has_empty()) << slab_class::bytes_of(each);
                const std::size_t end = std::min(i + length, blocks.size());
                heaps.free_as_batch({blocks.begin() + static_cast<std::ptrdiff_t>(i),
                                     blocks.begin() + static_cast<std::ptrdiff_t>(end)});
            }
            EXPECT_EQ(heaps.tested.pop_empty(), slab::of(blocks.front())) << slab_class::bytes_of(each);
            EXPECT_EQ(heaps.tested.pop_empty(), nullptr);
        }
    }
}

TEST(slab_heap, a_slab_becomes_empty_by_one_batch_of_all_its_blocks) {
    constexpr std::size_t each = slab_class::count - 1;
    heap_with_slabs heaps;
    const std::vector<void*> blocks = heaps.fill_and_put_aside(each);
    heaps.free_as_batch(blocks);
    EXPECT_EQ(heaps.tested.pop_empty(), slab::of(blocks.front()));
    EXPECT_EQ(heaps.tested.pop_empty(), nullptr);
}

TEST(slab_heap, a_slab_with_one_free_block_serves_it_when_the_current_ones_have_none) {
    heap_with_slabs heaps;
    const std::vector<void*> blocks = heaps.fill_and_put_aside(5);
    heaps.free(blocks[3]);
    EXPECT_EQ(heaps.tested.find(5), blocks[3]);
    EXPECT_EQ(heaps.tested.find(5), nullptr);
}

TEST(slab_heap, blocks_of_current_slabs_serve_their_list_and_no_slab_of_these_becomes_empty) {
    heap_with_slabs heaps;
    const std::vector<void*> blocks = heaps.allocate(8, current_slabs * blocks_in_slab(8));
    for (void* const block : blocks) heaps.free(block);
    EXPECT_FALSE(heaps.tested.has_empty());
    EXPECT_EQ(set_of(heaps.allocate(8, blocks.size())), set_of(blocks));
}

TEST(slab_heap, put_all_aside_finds_slabs_empty_that_have_no_block_in_use) {
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        heap_with_slabs heaps;
        // The first slab has free blocks only, also in a batch; the second one also some that were never cut.
        std::vector<void*> blocks = heaps.allocate(each, blocks_in_slab(each) + 1);
        heaps.free_as_batch({blocks[0], blocks[1]});
        for (std::size_t i = 2; i < blocks.size(); ++i) heaps.free(blocks[i]);
        heaps.put_all_aside();
        std::set<slab*> empty;
        while (slab* const found = heaps.tested.pop_empty()) EXPECT_TRUE(empty.insert(found).second);
        EXPECT_EQ(empty, (std::set<slab*>{slab::of(blocks.front()), slab::of(blocks.back())}))
            << slab_class::bytes_of(each);
        EXPECT_TRUE(heaps.sent_home.empty());
    }
}

TEST(slab_heap, what_is_put_aside_waits_for_the_blocks_in_use) {
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        for (const std::size_t in_use : {1U, 2U, 3U}) {
            heap_with_slabs heaps;
            std::vector<void*> blocks = heaps.allocate(each, std::min<std::size_t>(blocks_in_slab(each) - 1, 20));
            const std::vector<void*> used(blocks.end() - static_cast<std::ptrdiff_t>(in_use), blocks.end());
            blocks.resize(blocks.size() - in_use);
            if (blocks.size() > 2) heaps.free_as_batch({blocks[1], blocks[2]});
            for (std::size_t i = 0; i < blocks.size(); i += i == 0 ? 3 : 1) heaps.free(blocks[i]);
            heaps.put_all_aside();
            // One comes back in a batch.
            for (std::size_t i = 0; i < in_use; ++i) {
                ASSERT_FALSE(heaps.tested.has_empty()) << slab_class::bytes_of(each);
                if (i == 1) {
                    heaps.free_as_batch({used[i]});
                } else {
                    heaps.free(used[i]);
                }
            }
            EXPECT_EQ(heaps.tested.pop_empty(), slab::of(used.front())) << slab_class::bytes_of(each);
            EXPECT_EQ(heaps.tested.pop_empty(), nullptr);
        }
    }
}

TEST(slab_heap, what_was_put_aside_serves_all_its_blocks_that_are_not_in_use) {
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        heap_with_slabs heaps;
        const std::vector<void*> blocks = heaps.allocate(each, std::min<std::size_t>(blocks_in_slab(each), 20));
        heaps.free(blocks[0]);
        heaps.free_as_batch({blocks[1], blocks[2]});
        heaps.put_all_aside();
        std::vector<void*> found(blocks.begin() + 3, blocks.end());
        while (void* const block = heaps.tested.find(each)) found.push_back(block);
        EXPECT_EQ(found.size(), blocks_in_slab(each)) << slab_class::bytes_of(each);
        EXPECT_EQ(set_of(found).size(), found.size());
    }
}

TEST(slab_heap, put_all_aside_sends_the_blocks_of_other_heaps_home) {
    heap_with_slabs heaps;
    heap_with_slabs other;
    void* const own = heaps.allocate(7);
    const std::vector<void*> borrowed = other.allocate(7, 5);
    const std::vector<void*> borrowed_small = other.allocate(2, 3);
    heaps.free(own);
    for (void* const block : borrowed) heaps.tested.push(block, 7);
    for (void* const block : borrowed_small) heaps.tested.push(block, 2);
    heaps.put_all_aside();
    std::vector<void*> expected = borrowed;
    expected.insert(expected.end(), borrowed_small.begin(), borrowed_small.end());
    EXPECT_TRUE(std::ranges::is_permutation(heaps.sent_home, expected));
    EXPECT_EQ(heaps.tested.pop_empty(), slab::of(own));
}

TEST(slab_heap, an_empty_slab_serves_every_class) {
    heap_with_slabs heaps;
    slab* const only = heaps.upstream.make_slab();
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        heaps.tested.open(only, each, &heaps.tested);
        std::vector<void*> blocks;
        while (void* const block = heaps.tested.find(each)) blocks.push_back(block);
        ASSERT_EQ(set_of(blocks).size(), blocks_in_slab(each)) << slab_class::bytes_of(each);
        // Every second class becomes empty with batches in it.
        if (each % 2 == 0) heaps.free_as_batch({blocks[0], blocks[1]});
        for (std::size_t i = each % 2 == 0 ? 2 : 0; i < blocks.size(); ++i) heaps.free(blocks[i]);
        heaps.put_all_aside();
        ASSERT_EQ(heaps.tested.pop_empty(), only);
    }
}

TEST(slab_heap, an_empty_slab_serves_its_own_class_again_whatever_it_was_left_with) {
    for (const std::size_t each : {std::size_t{1}, std::size_t{20}, slab_class::count - 1}) {
        for (const bool has_batches : {false, true}) {
            heap_with_slabs heaps;
            heap next;
            const std::vector<void*> blocks = heaps.allocate(each, blocks_in_slab(each) / 2);
            if (has_batches) heaps.free_as_batch({blocks[0], blocks[1]});
            for (std::size_t i = has_batches ? 2 : 0; i < blocks.size(); ++i) heaps.free(blocks[i]);
            heaps.put_all_aside();
            next.open(heaps.tested.pop_empty(), each);
            std::vector<void*> found;
            while (void* const block = next.find(each)) found.push_back(block);
            EXPECT_EQ(found.size(), blocks_in_slab(each));
            EXPECT_EQ(set_of(found).size(), found.size());
        }
    }
}

TEST(slab_heap, a_slab_of_a_large_class_sends_its_blocks_home_one_by_one_and_small_ones_many_at_once) {
    for (std::size_t each = 0; each < slab_class::count; ++each) {
        heap_with_slabs heaps;
        const std::size_t length = slab::of(heaps.allocate(each))->batch_length;
        EXPECT_GE(length, 1U);
        EXPECT_LE(length, slab::max_batch);
        EXPECT_LE((length - 1) * slab_class::bytes_of(each), 8192U);
    }
}

// What a heap does in random use, against a model of the blocks in use.
TEST(slab_heap, no_block_is_lost_or_served_twice_in_random_use_and_empty_slabs_are_those_without_one_in_use) {
    std::mt19937 random(16);
    heap_with_slabs heaps;
    std::map<void*, std::size_t> used;  // the class of each
    std::map<slab*, std::vector<void*>> of_slab;
    const auto forget = [&](void* block) {
        used.erase(block);
        std::erase(of_slab[slab::of(block)], block);
    };
    const auto take_empty = [&] {
        while (slab* const empty = heaps.tested.pop_empty()) {
            ASSERT_TRUE(of_slab[empty].empty()) << "a block in use is in an empty slab";
            ASSERT_EQ(std::ranges::count(heaps.spare, empty), 0) << "a slab is empty twice";
            heaps.spare.push_back(empty);
        }
    };
    for (int step = 0; step < 60'000; ++step) {
        const bool growing = step / 3000 % 2 == 0;
        if (used.empty() || random() % 10 < (growing ? 7U : 2U)) {
            constexpr std::size_t classes[] = {1, 2, 6, 32, 36, 40, 44, slab_class::count - 1};
            const std::size_t each = classes[random() % std::size(classes)];
            void* const block = heaps.allocate(each);
            const std::size_t bytes = slab_class::bytes_of(each);
            const auto after = used.lower_bound(block);
            ASSERT_TRUE(after == used.end() || static_cast<std::byte*>(block) + bytes <= after->first);
            ASSERT_TRUE(after == used.begin() || static_cast<std::byte*>(std::prev(after)->first) +
                                                         slab_class::bytes_of(std::prev(after)->second) <=
                                                     block);
            ASSERT_EQ(slab::of(block)->block_class, each);
            used[block] = each;
            of_slab[slab::of(block)].push_back(block);
        } else {
            const std::vector<slab*>::size_type skipped = random() % of_slab.size();
            const auto some = std::next(of_slab.begin(), static_cast<std::ptrdiff_t>(skipped));
            std::vector<void*>& blocks = some->second;
            const std::size_t capacity = 1 + (blocks.empty() ? 0 : block_batch::capacity(some->first->block_bytes()));
            std::vector<void*> freed(
                blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(
                                                     std::min({std::size_t{random() % 30}, capacity, blocks.size()})));
            if (freed.empty()) continue;
            std::ranges::for_each(std::vector(freed), forget);
            for (void* const block : freed) {
                const auto* const contents = static_cast<const unsigned char*>(block);
                ASSERT_EQ(contents[0], 0xA5) << "a page with a block in use was discarded";
                ASSERT_EQ(contents[some->first->block_bytes() - 1], 0xA5);
            }
            if (random() % 2 == 0) {
                heaps.free_as_batch(freed);
            } else {
                for (void* const block : freed) heaps.free(block);
            }
        }
        if (random() % 500 == 0) heaps.put_all_aside();
        if (random() % 300 == 0) heaps.take_in_rounds(random() % 2 == 0);
        if (random() % 200 == 0) heaps.discard_idle(static_cast<std::uint16_t>(step / 300));
        if (random() % 20 == 0) take_empty();
        if (random() % 500 == 0) {
            heaps.put_all_aside();
            take_empty();
            for (const auto& [each, blocks] : of_slab) {
                ASSERT_EQ(blocks.empty(), std::ranges::count(heaps.spare, each) == 1) << "as if it were in use";
            }
        }
    }
    while (!used.empty()) {
        void* const block = used.begin()->first;
        forget(block);
        heaps.free(block);
    }
    heaps.put_all_aside();
    take_empty();
    EXPECT_EQ(heaps.spare.size(), of_slab.size());
    EXPECT_TRUE(heaps.sent_home.empty());
}

// What no block in use lies in is discarded, for blocks that divide a page, straddle pages, and are larger than one.
TEST(slab_heap, pages_of_a_slab_that_no_block_in_use_needs_are_discarded) {
    for (const std::size_t bytes : {16U, 208U, 1024U, 3072U, 8192U}) {
        const std::size_t block_class = slab_class::of(bytes);
        heap_with_slabs heaps;
        const std::vector<void*> blocks = heaps.fill_and_put_aside(block_class);
        void* const kept = blocks[blocks.size() / 2];
        for (void* const block : blocks) {
            if (block != kept) heaps.free(block);
        }
        const std::vector<char> contents(bytes, '\x42');
        std::memcpy(kept, contents.data(), bytes);
        std::size_t discarded = 0;
        heaps.tested.discard_pages([&](void* begin, std::size_t length) {
            discarded += length;
            freehold::detail::annotate_allocated(begin, length);
            std::memset(begin, 0, length);
        });
        constexpr std::size_t page = 4096;
        EXPECT_GE(discarded + 2 * page + freehold::detail::round_up(bytes, page), std::size_t{1} << 16) << bytes;
        EXPECT_EQ(std::memcmp(kept, contents.data(), bytes), 0) << bytes;
        EXPECT_EQ(slab::of(kept)->block_class, block_class);
    }
}

TEST(slab_heap, what_was_not_needed_for_a_second_is_discarded) {
    for (const std::size_t bytes : {16U, 208U, 1024U, 3072U}) {
        heap_with_slabs heaps;
        const std::vector<void*> blocks = heaps.fill_and_put_aside(slab_class::of(bytes));
        heaps.discard_idle(7);
        for (void* const block : blocks) {
            if (block != blocks.front()) heaps.free(block);
        }
        EXPECT_EQ(heaps.discard_idle(8), 0U) << bytes;
        EXPECT_GE(heaps.discard_idle(9), std::size_t{12} * 4096) << bytes;
        EXPECT_EQ(heaps.discard_idle(11), 0U) << bytes << ": twice";
    }
}

TEST(slab_heap, what_is_free_in_a_batch_is_discarded_too) {
    heap_with_slabs heaps;
    const std::vector<void*> blocks = heaps.fill_and_put_aside(slab_class::of(4096));
    heaps.free_as_batch({blocks[3], blocks[4], blocks[5]});
    EXPECT_GE(heaps.discard_idle(2), std::size_t{2} * 4096);
}

// A size that a program no longer uses has up to four current slabs, of which few blocks may be in use.
TEST(slab_heap, current_slabs_of_a_size_that_was_not_used_for_a_second_are_discarded) {
    heap_with_slabs heaps;
    const std::vector<void*> blocks = heaps.allocate(1, current_slabs * blocks_in_slab(1));
    heaps.discard_idle(1);
    for (std::size_t i = 1; i < blocks.size(); ++i) heaps.free(blocks[i]);
    EXPECT_GE(heaps.discard_idle(3), std::size_t{12} * 4096);
    std::size_t empty = 0;
    while (heaps.tested.pop_empty() != nullptr) ++empty;
    EXPECT_EQ(empty, current_slabs - 1);
}

// Of each other block of 16 bytes no page is free: such a look takes a long time, and is in vain.
TEST(slab_heap, looks_in_vain_are_few_in_each_second) {
    heap_with_slabs heaps;
    const std::vector<void*> blocks = heaps.allocate(1, 300 * blocks_in_slab(1));
    for (std::size_t i = 0; i < blocks.size(); i += 2) heaps.free(blocks[i]);
    heaps.discard_idle(1);
    for (std::uint16_t second = 3; second < 9; second += 2) {
        EXPECT_EQ(heaps.discard_idle(second), 0U);
        EXPECT_LE(heaps.steps, 120);
    }
}

TEST(slab_heap, a_heap_has_shrunk_until_all_that_became_available_was_looked_at) {
    heap_with_slabs heaps;
    const std::size_t each = slab_class::of(2048);
    const std::vector<void*> blocks = heaps.allocate(each, 200 * blocks_in_slab(each));
    EXPECT_FALSE(heaps.tested.has_shrunk());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i % blocks_in_slab(each) != 0) heaps.free(blocks[i]);
    }
    EXPECT_TRUE(heaps.tested.has_shrunk());
    heaps.discard_idle(1);
    EXPECT_TRUE(heaps.tested.has_shrunk());
    EXPECT_GE(heaps.discard_idle(4), std::size_t{190} * 12 * 4096);
    EXPECT_FALSE(heaps.tested.has_shrunk());
}

TEST(slab_heap, a_heap_that_needs_the_slabs_that_became_available_has_not_shrunk) {
    heap_with_slabs heaps;
    const std::size_t each = slab_class::of(2048);
    const std::vector<void*> blocks = heaps.allocate(each, 200 * blocks_in_slab(each));
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 100 * blocks_in_slab(each); i += 2) heaps.free(blocks[i]);
        for (std::size_t i = 0; i < 100 * blocks_in_slab(each); i += 2) static_cast<void>(heaps.allocate(each));
        EXPECT_FALSE(heaps.tested.has_shrunk());
    }
}

TEST(slab_heap, what_is_used_each_second_stays) {
    heap_with_slabs heaps;
    for (std::uint16_t second = 1; second < 10; ++second) {
        const std::vector<void*> blocks = heaps.allocate(20, 3 * blocks_in_slab(20));
        EXPECT_EQ(heaps.discard_idle(second), 0U);
        EXPECT_TRUE(slab::of(blocks.back())->is_current());
        for (void* const block : blocks) heaps.free(block);
    }
}

TEST(slab_heap, blocks_of_discarded_pages_are_served_again_once_each) {
    for (const std::size_t bytes : {16U, 208U, 1024U, 3072U, 8192U}) {
        const std::size_t block_class = slab_class::of(bytes);
        heap_with_slabs heaps;
        std::vector<void*> blocks = heaps.fill_and_put_aside(block_class);
        const std::set<void*> all = set_of(blocks);
        const std::vector<void*> kept = {blocks[blocks.size() / 3], blocks.back()};
        std::shuffle(blocks.begin(), blocks.end(), std::mt19937(7));
        for (void* const block : blocks) {
            if (block != kept[0] && block != kept[1]) heaps.free(block);
        }
        for (int i = 0; i != 2; ++i) {
            heaps.tested.discard_pages([](void* begin, std::size_t length) {
                freehold::detail::annotate_allocated(begin, length);
                std::memset(begin, 0, length);
            });
        }
        std::vector<void*> again = heaps.allocate(block_class, all.size() - kept.size());
        again.insert(again.end(), kept.begin(), kept.end());
        EXPECT_EQ(set_of(again), all) << bytes;
    }
}

TEST(slab_heap, a_slab_that_was_discarded_in_part_is_empty_when_all_its_blocks_are_freed) {
    const std::size_t block_class = slab_class::of(208);
    heap_with_slabs heaps;
    const std::vector<void*> blocks = heaps.fill_and_put_aside(block_class);
    for (std::size_t i = 1; i < blocks.size(); ++i) heaps.free(blocks[i]);
    heaps.tested.discard_pages([](void*, std::size_t) {});
    EXPECT_FALSE(heaps.tested.has_empty());
    heaps.free(blocks[0]);
    EXPECT_EQ(heaps.tested.pop_empty(), slab::of(blocks[0]));
}

TEST(slab_heap, in_rounds_a_list_runs_empty_where_as_many_blocks_are_freed_as_allocated) {
    for (const bool are_rounds : {false, true}) {
        heap_with_slabs heaps;
        heaps.take_in_rounds(are_rounds);
        const std::size_t block_class = slab_class::of(100);
        std::vector<void*> blocks = heaps.allocate(block_class, 1000);
        int empty = 0;
        for (int round = 0; round != 100; ++round) {
            for (std::size_t i = 0; i != 64; ++i) heaps.free(blocks[i]);
            for (std::size_t i = 0; i != 64; ++i) {
                void* const block = heaps.tested.pop(block_class);
                if (block == nullptr) ++empty;
                blocks[i] = block != nullptr ? block : heaps.allocate(block_class);
            }
        }
        EXPECT_EQ(empty >= 150, are_rounds) << empty;
        EXPECT_EQ(set_of(blocks).size(), blocks.size());
    }
}

TEST(slab_heap, in_rounds_slabs_are_empty_when_all_their_blocks_are_freed) {
    for (const std::size_t bytes : {16U, 100U, 8192U}) {
        const std::size_t block_class = slab_class::of(bytes);
        heap_with_slabs heaps;
        heaps.take_in_rounds(true);
        const std::vector<void*> blocks = heaps.allocate(block_class, 3 * blocks_in_slab(block_class));
        for (void* const block : blocks) heaps.free(block);
        int empty = 0;
        while (heaps.tested.pop_empty() != nullptr) ++empty;
        EXPECT_EQ(empty, 3) << bytes;
    }
}
