#include <gtest/gtest.h>
#include <freehold/traced/traced_root_vector.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_root_vector;
using support::tracked;
using support::tracked_node;

class traced_root_vector_test : public support::tracked_test {
protected:
    // Returns: the number of objects that are alive after a collection.
    int alive() {
        heap.collect();
        return tracked::alive();
    }

    // Effects: appends nodes whose ids are their places.
    void fill(traced_root_vector<tracked_node>& all, int count) {
        for (int i = 0; i < count; ++i) all.push_back(heap.make<tracked_node>(i));
    }

    static std::vector<int> ids(const traced_root_vector<tracked_node>& all) {
        std::vector<int> found;
        for (const auto& each : all) found.push_back(each ? each->id : -1);
        return found;
    }

    traced_heap heap;

    void TearDown() override {
        EXPECT_EQ(alive(), 0);
        support::tracked_test::TearDown();
    }
};

}  // namespace

TEST_F(traced_root_vector_test, is_empty_at_first) {
    const traced_root_vector<tracked_node> all(heap);
    EXPECT_TRUE(all.empty());
    EXPECT_EQ(all.size(), 0U);
    EXPECT_EQ(all.begin(), all.end());
}

TEST_F(traced_root_vector_test, keeps_its_objects_alive) {
    traced_root_vector<tracked_node> all(heap);
    fill(all, 1000);
    EXPECT_EQ(alive(), 1000);
    EXPECT_EQ(all.size(), 1000U);
    EXPECT_EQ(all[999]->id, 999);
    EXPECT_EQ(all.back()->id, 999);
    EXPECT_EQ(all.front()->id, 0);
}

TEST_F(traced_root_vector_test, removed_elements_keep_nothing_alive) {
    traced_root_vector<tracked_node> all(heap);
    fill(all, 10);
    all.pop_back();
    EXPECT_EQ(alive(), 9);
    all.erase(0);
    EXPECT_EQ(alive(), 8);
    EXPECT_EQ(ids(all), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
    all.resize(2);
    EXPECT_EQ(alive(), 2);
    all[0] = nullptr;
    EXPECT_EQ(alive(), 1);
    all.clear();
    EXPECT_EQ(alive(), 0);
    EXPECT_TRUE(all.empty());
}

TEST_F(traced_root_vector_test, grows_by_null_pointers) {
    traced_root_vector<tracked_node> all(heap);
    all.resize(3);
    all[1] = heap.make<tracked_node>(1);
    EXPECT_EQ(ids(all), (std::vector<int>{-1, 1, -1}));
    all.resize(1);
    all.resize(2);
    EXPECT_EQ(ids(all), (std::vector<int>{-1, -1}));
}

TEST_F(traced_root_vector_test, an_old_one_may_be_given_young_objects) {
    traced_root_vector<tracked_node> all(heap);
    fill(all, 100'000);
    heap.collect();
    all[5] = heap.make<tracked_node>(-5);
    all[99'999] = heap.make<tracked_node>(-6);
    all.push_back(heap.make<tracked_node>(-7));
    heap.collect_young();
    EXPECT_EQ(all[5]->id, -5);
    EXPECT_EQ(all[99'999]->id, -6);
    EXPECT_EQ(all.back()->id, -7);
}

TEST_F(traced_root_vector_test, what_is_appended_survives_the_collection_that_growth_causes) {
    freehold::traced_heap_options options;
    options.collect_at_every_allocation = true;
    traced_heap often(options);
    traced_root_vector<tracked_node> all(often);
    for (int i = 0; i < 100; ++i) all.push_back(often.make_unrooted<tracked_node>(i));
    for (int i = 0; i < 100; ++i) all.emplace_back(100 + i);
    for (int i = 0; i < 200; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)]->id, i);
}

TEST_F(traced_root_vector_test, is_copied_and_moved) {
    traced_root_vector<tracked_node> one(heap);
    fill(one, 3);
    traced_root_vector<tracked_node> copy = one;
    one[0] = nullptr;
    EXPECT_EQ(ids(copy), (std::vector<int>{0, 1, 2}));
    traced_root_vector<tracked_node> moved = std::move(copy);
    EXPECT_EQ(ids(moved), (std::vector<int>{0, 1, 2}));
    one = moved;
    moved.clear();
    EXPECT_EQ(ids(one), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(alive(), 3);
}

TEST_F(traced_root_vector_test, is_empty_once_its_heap_is_destroyed) {
    auto* const other = new traced_heap;
    traced_root_vector<tracked_node> all(*other);
    all.push_back(other->make<tracked_node>(1));
    delete other;
    EXPECT_TRUE(all.empty());
    EXPECT_EQ(all.begin(), all.end());
}
