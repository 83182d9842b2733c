// What a traced_unordered_map has beside what all maps have: contracts/traced_map.

#include <gtest/gtest.h>
#include <freehold/traced/traced_unordered_map.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>

#include <freehold/traced/traced_heap.hpp>

namespace {

using freehold::traced_heap;
using freehold::traced_unordered_map;

// The key is its hash, or all keys have one of a few.
struct coarse {
    std::size_t different = 1;
    std::size_t operator()(int key) const { return static_cast<std::size_t>(key) % different; }
};

struct by_coarse {
    traced_unordered_map<int, std::string, coarse> all;
    explicit by_coarse(coarse hash) : all(hash) {}
    void trace(auto& visit) const { visit(all); }
};

struct equal_last_digit {
    bool operator()(int a, int b) const { return a % 10 == b % 10; }
};
struct hash_of_last_digit {
    std::size_t operator()(int key) const { return static_cast<std::size_t>(key % 10); }
};

static_assert(sizeof(traced_unordered_map<std::string, int>) == 2 * sizeof(void*));

}  // namespace

TEST(traced_unordered_map, keys_may_have_equal_hashes) {
    traced_heap heap;
    for (const std::size_t different : {1U, 2U, 7U, 1000U}) {
        const auto its = heap.make<by_coarse>(coarse{different});
        std::unordered_map<int, std::string> expected;
        std::mt19937 random(1);
        for (int i = 0; i < 3000; ++i) {
            const int key = static_cast<int>(random() % 100);
            if (random() % 3 == 0) {
                ASSERT_EQ(its->all.erase(key), expected.erase(key));
            } else {
                its->all[key] = expected[key] = std::to_string(i);
            }
            ASSERT_EQ(its->all.size(), expected.size());
            for (int each = 0; each < 100; each += 7) ASSERT_EQ(its->all.contains(each), expected.contains(each));
        }
        for (const auto& [key, value] : expected) ASSERT_EQ(its->all.at(key), value);
        EXPECT_EQ(its->all.hash_function().different, different);
    }
}

TEST(traced_unordered_map, equality_is_what_it_is_given) {
    traced_heap heap;
    struct holder {
        traced_unordered_map<int, int, hash_of_last_digit, equal_last_digit> all = {};
    };
    const auto its = heap.make<holder>();
    its->all[3] = 1;
    its->all[13] = 2;
    EXPECT_EQ(its->all.size(), 1U);
    EXPECT_EQ(its->all.at(103), 2);
    EXPECT_TRUE(its->all.key_eq()(3, 13));
}

TEST(traced_unordered_map, is_in_the_order_of_addition_until_one_is_erased) {
    traced_heap heap;
    struct holder {
        traced_unordered_map<int, int> all = {};
    };
    const auto its = heap.make<holder>();
    for (int i = 0; i < 1000; ++i) its->all[i * 7919] = i;
    int expected = 0;
    for (const auto [key, value] : its->all) EXPECT_EQ(value, expected++);
    const auto third = its->all.begin() + 3;
    EXPECT_EQ(its->all.erase(third), third);
    EXPECT_EQ(third->second, 999);
}

TEST(traced_unordered_map, many_entries_are_found) {
    traced_heap heap;
    struct holder {
        traced_unordered_map<std::uint64_t, std::uint64_t> all = {};
    };
    const auto its = heap.make<holder>();
    its->all.reserve(50'000);
    for (std::uint64_t i = 0; i < 100'000; ++i) its->all[i << 20] = i;
    for (std::uint64_t i = 0; i < 100'000; i += 2) EXPECT_EQ(its->all.erase(i << 20), 1U);
    for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_EQ(its->all.contains(i << 20), i % 2 == 1) << i;
    EXPECT_EQ(its->all.size(), 50'000U);
}

TEST(traced_unordered_map, maps_are_equal_in_any_order) {
    traced_heap heap;
    struct holder {
        traced_unordered_map<int, int> all = {};
    };
    const auto up = heap.make<holder>();
    const auto down = heap.make<holder>();
    for (int i = 0; i < 100; ++i) {
        up->all[i] = i;
        down->all[99 - i] = 99 - i;
    }
    EXPECT_EQ(up->all, down->all);
    down->all[7] = 8;
    EXPECT_FALSE(up->all == down->all);
    down->all.erase(7);
    EXPECT_FALSE(up->all == down->all);
}
