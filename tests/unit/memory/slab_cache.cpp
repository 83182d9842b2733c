#include <gtest/gtest.h>
#include <freehold/memory/detail/slab.hpp>
#include <freehold/memory/detail/slab_cache.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "support/slab_memory.hpp"

namespace {

using freehold::detail::slab;
using freehold::detail::slab_bytes;
using freehold::detail::slab_cache;

// A cache whose chunks all have so many slabs.
struct cache_of_chunks {
    explicit cache_of_chunks(std::size_t slabs) : bytes(slabs * slab_bytes), cache(bytes, bytes, 0) {}

    // Returns: the begin of a chunk that the cache has now.
    std::byte* add() {
        std::byte* const begin = upstream.make(bytes);
        EXPECT_EQ(cache.add({begin, bytes}).begin, nullptr);
        return begin;
    }

    // Returns: slabs that the cache has.
    [[nodiscard]] std::vector<slab*> take(std::size_t slabs) {
        std::vector<slab*> taken;
        while (taken.size() != slabs) taken.push_back(cache.take());
        return taken;
    }

    // Returns: the begin of the chunk that is given up with the last of the slabs, or null.
    [[nodiscard]] std::byte* give_back(const std::vector<slab*>& slabs) {
        std::byte* given_up = nullptr;
        for (slab* const each : slabs) {
            EXPECT_EQ(given_up, nullptr);
            given_up = cache.give_back(each).begin;
        }
        return given_up;
    }

    support::slab_memory upstream;
    std::size_t bytes;
    slab_cache cache;
};

bool is_in(const slab* each, const std::byte* chunk, std::size_t bytes) {
    const auto* const begin = reinterpret_cast<const std::byte*>(each);
    return begin >= chunk && begin < chunk + bytes;
}

}  // namespace

TEST(slab_cache, chunks_double_up_to_the_largest) {
    support::slab_memory upstream;
    slab_cache cache(slab_bytes, 3 * slab_bytes, 0);
    for (const std::size_t slabs : {1U, 2U, 3U, 3U}) {
        EXPECT_EQ(cache.next_bytes(), slabs * slab_bytes);
        static_cast<void>(cache.add({upstream.make(cache.next_bytes()), cache.next_bytes()}));
        while (cache.take() != nullptr) continue;
    }
}

TEST(slab_cache, a_cache_without_chunks_has_neither_slabs_nor_memory) {
    slab_cache cache(slab_bytes, slab_bytes, 0);
    EXPECT_EQ(cache.take(), nullptr);
    EXPECT_EQ(cache.take_idle().begin, nullptr);
    EXPECT_EQ(cache.take_any().begin, nullptr);
}

TEST(slab_cache, a_chunk_serves_each_of_its_slabs_once) {
    cache_of_chunks chunks(16);
    const std::byte* const chunk = chunks.add();
    const std::vector<slab*> taken = chunks.take(16);
    EXPECT_EQ(std::set<slab*>(taken.begin(), taken.end()).size(), 16U);
    for (const slab* const each : taken) EXPECT_TRUE(is_in(each, chunk, chunks.bytes));
    EXPECT_EQ(chunks.cache.take(), nullptr);
}

TEST(slab_cache, a_slab_that_was_never_in_use_has_no_class_and_one_that_was_keeps_its_own) {
    cache_of_chunks chunks(2);
    chunks.add();
    for (slab* const each : chunks.take(2)) {
        EXPECT_EQ(each->block_class, slab_cache::no_class);
        each->block_class = 7;
        static_cast<void>(chunks.cache.give_back(each));
        EXPECT_EQ(chunks.cache.take(), each);
        EXPECT_EQ(each->block_class, 7);
    }
}

TEST(slab_cache, a_slab_that_was_in_use_comes_before_a_fresh_one) {
    cache_of_chunks chunks(16);
    chunks.add();
    const std::vector<slab*> taken = chunks.take(5);
    for (const std::size_t i : {4U, 0U, 2U}) {
        static_cast<void>(chunks.cache.give_back(taken[i]));
        EXPECT_EQ(chunks.cache.take(), taken[i]);
    }
}

TEST(slab_cache, a_chunk_that_is_partly_in_use_serves_before_an_idle_one) {
    cache_of_chunks chunks(2);
    chunks.add();
    const std::vector<slab*> first = chunks.take(2);
    chunks.add();
    const std::vector<slab*> second = chunks.take(2);
    EXPECT_EQ(chunks.give_back(second), nullptr);
    static_cast<void>(chunks.cache.give_back(first[1]));
    EXPECT_EQ(chunks.cache.take(), first[1]);
    EXPECT_EQ(chunks.take(2), second);
}

TEST(slab_cache, a_slab_is_found_behind_chunks_that_are_all_in_use) {
    cache_of_chunks chunks(2);
    std::vector<std::vector<slab*>> taken;
    for (int i = 0; i < 4; ++i) {
        chunks.add();
        taken.push_back(chunks.take(2));
    }
    for (const std::size_t i : {1U, 3U, 0U, 2U}) {
        static_cast<void>(chunks.cache.give_back(taken[i][1]));
        EXPECT_EQ(chunks.cache.take(), taken[i][1]);
        EXPECT_EQ(chunks.cache.take(), nullptr);
    }
}

TEST(slab_cache, one_chunk_stays_idle_and_the_one_before_it_goes_whole) {
    cache_of_chunks chunks(3);
    const std::byte* const first = chunks.add();
    const std::vector<slab*> in_first = chunks.take(3);
    chunks.add();
    const std::vector<slab*> in_second = chunks.take(3);
    EXPECT_EQ(chunks.give_back(in_first), nullptr);
    static_cast<void>(chunks.cache.give_back(in_second[0]));
    static_cast<void>(chunks.cache.give_back(in_second[2]));
    const slab_cache::memory left = chunks.cache.give_back(in_second[1]);
    EXPECT_EQ(left.begin, first);
    EXPECT_EQ(left.bytes, chunks.bytes);
}

TEST(slab_cache, a_chunk_that_was_not_used_is_idle) {
    cache_of_chunks chunks(2);
    const std::byte* const chunk = chunks.add();
    EXPECT_EQ(chunks.cache.take_idle().begin, chunk);
    EXPECT_EQ(chunks.cache.take(), nullptr);
}

TEST(slab_cache, of_two_chunks_that_were_not_used_the_first_goes) {
    cache_of_chunks chunks(2);
    const std::byte* const first = chunks.add();
    std::byte* const second = chunks.upstream.make(chunks.bytes);
    EXPECT_EQ(chunks.cache.add({second, chunks.bytes}).begin, first);
    EXPECT_TRUE(is_in(chunks.cache.take(), second, chunks.bytes));
}

TEST(slab_cache, idle_chunks_are_kept_up_to_some_bytes) {
    support::slab_memory upstream;
    slab_cache cache(slab_bytes, slab_bytes, 3 * slab_bytes);
    std::vector<slab*> taken;
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(cache.add({upstream.make(slab_bytes), slab_bytes}).begin, nullptr);
        taken.push_back(cache.take());
    }
    int given_up = 0;
    for (slab* const each : taken) given_up += cache.give_back(each).begin != nullptr ? 1 : 0;
    EXPECT_EQ(given_up, 2);
    EXPECT_EQ(cache.spare_bytes(), 3 * slab_bytes);
    for (int i = 0; i < 3; ++i) EXPECT_NE(cache.take_idle().begin, nullptr);
    EXPECT_EQ(cache.take_idle().begin, nullptr);
    EXPECT_EQ(cache.bytes(), 0U);
}

TEST(slab_cache, take_idle_leaves_chunks_in_use) {
    cache_of_chunks chunks(2);
    chunks.add();
    slab* const used = chunks.cache.take();
    EXPECT_EQ(chunks.cache.take_idle().begin, nullptr);
    static_cast<void>(chunks.cache.give_back(used));
    EXPECT_EQ(chunks.cache.take_idle().begin, reinterpret_cast<std::byte*>(used));
    EXPECT_EQ(chunks.cache.take(), nullptr);
}

TEST(slab_cache, take_any_finds_every_chunk_once_and_the_next_one_is_small_again) {
    support::slab_memory upstream;
    slab_cache cache(slab_bytes, 4 * slab_bytes, 0);
    std::map<std::byte*, std::size_t> chunks;
    std::vector<slab*> taken;
    for (int i = 0; i < 6; ++i) {
        const std::size_t bytes = cache.next_bytes();
        std::byte* const begin = upstream.make(bytes);
        static_cast<void>(cache.add({begin, bytes}));
        chunks[begin] = bytes;
        while (slab* const each = cache.take()) taken.push_back(each);
    }
    static_cast<void>(cache.give_back(taken[0]));  // idle
    static_cast<void>(cache.give_back(taken[1]));  // partly in use
    for (slab_cache::memory each = cache.take_any(); each.begin != nullptr; each = cache.take_any()) {
        EXPECT_EQ(chunks[each.begin], each.bytes);
        chunks.erase(each.begin);
    }
    EXPECT_TRUE(chunks.empty());
    EXPECT_EQ(cache.take(), nullptr);
    EXPECT_EQ(cache.next_bytes(), slab_bytes);
}

TEST(slab_cache, in_random_use_no_slab_is_served_twice_and_chunks_go_only_when_no_slab_is_in_use) {
    std::mt19937 random(16);
    support::slab_memory upstream;
    slab_cache cache(slab_bytes, 4 * slab_bytes, 0);
    std::vector<slab*> used;
    std::map<const std::byte*, std::size_t> chunks;
    std::size_t held = 0;
    const auto expect_unused = [&](slab_cache::memory gone) {
        if (gone.begin == nullptr) return;
        ASSERT_EQ(chunks[gone.begin], gone.bytes);
        chunks.erase(gone.begin);
        held -= gone.bytes;
        EXPECT_TRUE(std::ranges::none_of(used, [&](slab* each) { return is_in(each, gone.begin, gone.bytes); }));
        upstream.free(gone.begin);
    };
    for (int step = 0; step < 20'000; ++step) {
        const bool growing = step / 500 % 2 == 0;
        if (used.empty() || random() % 10 < (growing ? 6U : 4U)) {
            slab* taken = cache.take();
            if (taken == nullptr) {
                EXPECT_EQ(held, used.size() * slab_bytes) << "a spare slab is not found";
                const std::size_t bytes = cache.next_bytes();
                std::byte* const begin = upstream.make(bytes);
                chunks[begin] = bytes;
                held += bytes;
                expect_unused(cache.add({begin, bytes}));
                taken = cache.take();
            }
            EXPECT_TRUE(std::ranges::none_of(used, [&](slab* each) { return each == taken; }));
            used.push_back(taken);
        } else {
            std::swap(used[random() % used.size()], used.back());
            slab* const given = used.back();
            used.pop_back();
            expect_unused(cache.give_back(given));
        }
    }
    for (; !used.empty(); used.pop_back()) {
        slab* const given = used.back();
        used.back() = nullptr;
        expect_unused(cache.give_back(given));
    }
    EXPECT_EQ(chunks.size(), 1U) << "the idle one";
}
