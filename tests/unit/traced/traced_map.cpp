// What a traced_map has beside what all maps have: contracts/traced_map.

#include <gtest/gtest.h>
#include <freehold/traced/traced_map.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

namespace {

using freehold::traced_heap;
using freehold::traced_map;

// In one order or the other.
struct directed {
    bool down = false;
    bool operator()(int a, int b) const { return down ? b < a : a < b; }
};

struct by_direction {
    traced_map<int, int, directed> all;
    explicit by_direction(directed order) : all(order) {}
    void trace(auto& visit) const { visit(all); }
};

static_assert(sizeof(traced_map<std::string, int>) == sizeof(void*));

}  // namespace

TEST(traced_map, is_in_the_order_of_its_keys) {
    traced_heap heap;
    struct holder {
        traced_map<int, int> all = {};
    };
    const auto its = heap.make<holder>();
    for (int i = 0; i < 100; ++i) its->all[i * 37 % 101] = i;
    int last = -1;
    for (const auto [key, value] : its->all) {
        EXPECT_LT(last, key);
        last = key;
    }
    EXPECT_EQ(its->all.begin()->first, 0);
    for (auto [key, value] : its->all) value = key;
    EXPECT_EQ(its->all.at(50), 50);
}

TEST(traced_map, finds_the_neighbors_of_a_key) {
    traced_heap heap;
    struct holder {
        traced_map<std::string, int> all = {};
    };
    const auto its = heap.make<holder>();
    its->all.insert({std::string("b"), 1});
    its->all["d"] = 2;
    EXPECT_EQ(its->all.lower_bound("b")->second, 1);
    EXPECT_EQ(its->all.upper_bound("b")->second, 2);
    EXPECT_EQ(its->all.lower_bound("c")->first, "d");
    EXPECT_EQ(its->all.upper_bound("d"), its->all.end());
    const auto& read = its->all;
    EXPECT_EQ(read.lower_bound(std::string_view("a")) - read.begin(), 0);
    EXPECT_EQ(read.upper_bound(std::string_view("a")) - read.begin(), 0);
}

TEST(traced_map, is_searched_by_what_compares_with_a_key) {
    traced_heap heap;
    struct holder {
        traced_map<std::string, int> all = {};
    };
    const auto its = heap.make<holder>();
    its->all["a"] = 1;
    EXPECT_TRUE(its->all.contains(std::string_view("a")));
    EXPECT_EQ(its->all.find(std::string_view("a"))->second, 1);
    EXPECT_EQ(its->all.count("b"), 0U);
    EXPECT_EQ(its->all.erase(std::string_view("a")), 1U);
    EXPECT_TRUE(its->all.empty());
}

TEST(traced_map, has_an_order_of_its_own) {
    traced_heap heap;
    const auto down = heap.make<by_direction>(directed{true});
    const auto up = heap.make<by_direction>(directed{false});
    for (int i = 0; i < 10; ++i) down->all[i] = up->all[i] = i;
    EXPECT_EQ(down->all.begin()->first, 9);
    EXPECT_TRUE(down->all.key_comp().down);
    down->all.swap(up->all);
    EXPECT_EQ(down->all.begin()->first, 0);
    down->all = up->all;
    down->all[100] = 100;
    EXPECT_EQ(down->all.begin()->first, 100);
}
