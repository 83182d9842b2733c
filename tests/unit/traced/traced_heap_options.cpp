#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_heap_options.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace {

using freehold::traced_collection;
using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;

struct cell {
    int value;
    freehold::traced_ptr<cell> next;
};

// What a cell takes in a heap: in 32 bits more than its size.
constexpr std::size_t cell_bytes = std::max(sizeof(cell), freehold::detail::traced_chunk::min_cell_bytes);

int calls = 0;

void count_call(const traced_collection&) { ++calls; }

void fill(traced_heap& heap, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes / cell_bytes; ++i) static_cast<void>(heap.make<cell>(1, nullptr));
}

std::vector<traced_collection> recorded;

traced_heap_options recording() {
    recorded.clear();
    traced_heap_options options;
    options.on_collection = [](const traced_collection& one) { recorded.push_back(one); };
    return options;
}

}  // namespace

TEST(traced_heap_options, on_collection_receives_each_collection) {
    traced_heap heap(recording());
    const traced_local<cell> kept = heap.make<cell>(1, nullptr);
    static_cast<void>(heap.make<cell>(2, nullptr));
    heap.collect();
    kept->next = heap.make<cell>(3, nullptr);
    heap.collect_young();
    ASSERT_EQ(recorded.size(), 2U);
    EXPECT_TRUE(recorded[0].is_full);
    EXPECT_EQ(recorded[0].surviving_objects, 1U);
    EXPECT_EQ(recorded[0].surviving_bytes, cell_bytes);
    EXPECT_EQ(recorded[0].heap_bytes, heap.heap_bytes());
    EXPECT_FALSE(recorded[1].is_full);
    EXPECT_EQ(recorded[1].surviving_objects, 1U);
    EXPECT_EQ(recorded[1].live_bytes, 2 * cell_bytes);
    EXPECT_GE(recorded[1].started, recorded[0].started + recorded[0].pause);
    EXPECT_EQ(recorded[0].stopping.count(), 0);
}

TEST(traced_heap_options, on_collection_takes_any_function) {
    calls = 0;
    traced_heap_options options;
    options.on_collection = count_call;
    traced_heap(options).collect();
    EXPECT_EQ(calls, 1);
    options.on_collection = [own = std::make_unique<int>(2)](const traced_collection&) mutable { calls += (*own)++; };
    traced_heap heap(std::move(options));
    heap.collect();
    heap.collect();
    EXPECT_EQ(calls, 6);
    traced_heap({.on_collection = std::function<bool(traced_collection)>([](auto) { return ++calls != 0; })}).collect();
    EXPECT_EQ(calls, 7);
}

TEST(traced_heap_options, copies_share_the_callback) {
    calls = 0;
    traced_heap_options options;
    options.on_collection = [own = 1](const traced_collection&) mutable { calls = own++; };
    traced_heap one(options);
    traced_heap other(options);
    one.collect();
    other.collect();
    EXPECT_EQ(calls, 2);
}

TEST(traced_heap_options, on_collection_may_be_null) {
    traced_heap_options options = recording();
    EXPECT_TRUE(options.on_collection);
    options.on_collection = nullptr;
    EXPECT_FALSE(options.on_collection);
    traced_heap(options).collect();
    EXPECT_TRUE(recorded.empty());
}

TEST(traced_heap_options, allocation_collects_by_itself) {
    traced_heap_options options = recording();
    options.nursery_bytes = 50'000;
    options.min_full_bytes = 1'000'000;
    traced_heap heap(options);
    traced_local<cell> list;
    for (int i = 0; i < 100'000; ++i) {
        static_cast<void>(heap.make<cell>(i, nullptr));
        list = heap.make<cell>(i, list);
    }
    const auto full = std::ranges::count(recorded, true, &traced_collection::is_full);
    EXPECT_GE(recorded.size(), 10U);
    EXPECT_GE(full, 1);
    EXPECT_LE(full, 3);
    for (int i = 99'999; i >= 0; --i, list = list->next) ASSERT_EQ(list->value, i);
    EXPECT_FALSE(list);
}

TEST(traced_heap_options, a_large_nursery_defers_the_first_collection) {
    traced_heap_options options = recording();
    options.nursery_bytes = std::size_t{8} * 1024 * 1024;
    traced_heap heap(options);
    fill(heap, options.nursery_bytes / 2);
    EXPECT_TRUE(recorded.empty());
    fill(heap, options.nursery_bytes);
    EXPECT_EQ(recorded.size(), 1U);
}

TEST(traced_heap_options, every_allocation_may_collect) {
    traced_heap_options options = recording();
    options.collect_at_every_allocation = true;
    traced_heap heap(options);
    fill(heap, 10 * cell_bytes);
    EXPECT_EQ(recorded.size(), 10U);
    EXPECT_TRUE(std::ranges::all_of(recorded, &traced_collection::is_full));
}
