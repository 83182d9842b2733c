#include <gtest/gtest.h>
#include <freehold/traced/detail/collection_pacer.hpp>

#include <cstddef>
#include <limits>

using freehold::traced_heap_options;
using freehold::detail::collection_pacer;

namespace {

traced_heap_options small_heap() {
    traced_heap_options options;
    options.nursery_bytes = 1000;
    options.max_nursery_bytes = 5000;
    options.growth_factor = 2;
    options.min_full_bytes = 10'000;
    options.pause_budget = std::numeric_limits<std::size_t>::max();
    return options;
}

// Returns: the bytes that may be allocated before the next collection.
std::size_t bytes_left(collection_pacer pacer) {
    std::size_t bytes = 0;
    for (; !pacer.is_due(); ++bytes) pacer.count_young(1);
    return bytes;
}

// Effects: allocates until a collection is due, and does a young one, which `survived_bytes` survive.
void grow(collection_pacer& pacer, std::size_t survived_bytes, std::size_t live_bytes) {
    pacer.count_young(bytes_left(pacer));
    pacer.after_young(survived_bytes, live_bytes, 0);
}

}  // namespace

constexpr std::size_t much = std::numeric_limits<std::size_t>::max() / 16;

TEST(collection_pacer, no_collection_is_due_in_an_unlimited_nursery) {
    traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = std::numeric_limits<std::size_t>::max();
    collection_pacer pacer(options);
    pacer.count_young(much);
    EXPECT_FALSE(pacer.is_due());
}

TEST(collection_pacer, a_full_collection_is_never_due_with_an_infinite_growth_factor) {
    traced_heap_options options = small_heap();
    options.growth_factor = std::numeric_limits<double>::infinity();
    collection_pacer pacer(options);
    pacer.after_full(1000);
    pacer.count_young(1000);
    EXPECT_FALSE(pacer.is_full_due(much));
    pacer.after_young(1000, 2000, 0);
    EXPECT_FALSE(pacer.is_full_due(much));
}

TEST(collection_pacer, threads_have_a_nursery_each) {
    collection_pacer pacer(small_heap());
    pacer.set_threads(3);
    pacer.start_again();
    EXPECT_EQ(bytes_left(pacer), 3000U);
    pacer.set_threads(100);
    pacer.start_again();
    EXPECT_EQ(bytes_left(pacer), 5000U);
    pacer.set_threads(0);
    pacer.start_again();
    EXPECT_EQ(bytes_left(pacer), 1000U);
}

TEST(collection_pacer, a_heap_may_have_no_nursery) {
    traced_heap_options options = small_heap();
    options.nursery_bytes = options.max_nursery_bytes = 0;
    collection_pacer pacer(options);
    pacer.set_threads(2);
    grow(pacer, 1000, 1000);
    EXPECT_TRUE(pacer.is_due());
}

TEST(collection_pacer, a_thread_asks_after_a_sixteenth_of_a_nursery_or_of_the_budget) {
    traced_heap_options options = small_heap();
    EXPECT_EQ(collection_pacer(options).bytes_between(16), 1000U / 16);
    options.pause_budget = 32;
    EXPECT_EQ(collection_pacer(options).bytes_between(16), 32U);
}

TEST(collection_pacer, a_collection_is_due_after_nursery_bytes) {
    collection_pacer pacer(small_heap());
    EXPECT_EQ(bytes_left(pacer), 1000U);
    pacer.count_young(1000);
    EXPECT_TRUE(pacer.is_due());
}

TEST(collection_pacer, a_full_one_is_due_when_live_objects_have_grown) {
    collection_pacer pacer(small_heap());
    EXPECT_FALSE(pacer.is_full_due(9999));
    EXPECT_TRUE(pacer.is_full_due(10'000));
    pacer.after_full(8000);
    EXPECT_FALSE(pacer.is_full_due(15'999));
    EXPECT_TRUE(pacer.is_full_due(16'000));
}

TEST(collection_pacer, no_full_one_is_due_below_min_full_bytes) {
    collection_pacer pacer(small_heap());
    pacer.after_full(1);
    EXPECT_FALSE(pacer.is_full_due(9999));
}

TEST(collection_pacer, the_next_is_not_deferred_if_a_quarter_died) {
    collection_pacer pacer(small_heap());
    grow(pacer, 740, 740);
    EXPECT_EQ(bytes_left(pacer), 1000U);
}

TEST(collection_pacer, the_next_is_deferred_if_nearly_all_survived) {
    collection_pacer pacer(small_heap());
    grow(pacer, 1000, 1000);
    EXPECT_EQ(bytes_left(pacer), 5000U) << "max_nursery_bytes";
}

TEST(collection_pacer, the_next_is_deferred_as_long_for_each_thread) {
    collection_pacer pacer(small_heap());
    pacer.after_full(10'000);  // a full one is due at 20,000
    pacer.set_threads(2);
    pacer.start_again();
    grow(pacer, 2000, 10'000);
    EXPECT_EQ(bytes_left(pacer), 10'000U);
}

TEST(collection_pacer, the_next_is_deferred_until_a_full_one_is_due) {
    collection_pacer pacer(small_heap());
    grow(pacer, 1000, 7000);
    EXPECT_EQ(bytes_left(pacer), 3000U);
    EXPECT_TRUE(pacer.is_full_due(7000)) << "the young objects are expected to survive";
}

TEST(collection_pacer, a_collection_is_never_due_before_nursery_bytes) {
    collection_pacer pacer(small_heap());
    grow(pacer, 1000, 9999);
    EXPECT_EQ(bytes_left(pacer), 1000U);
    grow(pacer, 1000, 10'999);
    EXPECT_EQ(bytes_left(pacer), 1000U);
}

TEST(collection_pacer, garbage_or_a_full_one_ends_the_deferral) {
    collection_pacer pacer(small_heap());
    grow(pacer, 1000, 1000);
    grow(pacer, 0, 1000);
    EXPECT_EQ(bytes_left(pacer), 1000U);
    grow(pacer, 1000, 1000);
    pacer.after_full(1000);
    EXPECT_EQ(bytes_left(pacer), 1000U);
    EXPECT_FALSE(pacer.is_full_due(9999));
}

TEST(collection_pacer, an_early_collection_defers_nothing) {
    collection_pacer pacer(small_heap());
    pacer.count_young(999);
    pacer.after_young(999, 999, 0);
    EXPECT_EQ(bytes_left(pacer), 1000U);
}

TEST(collection_pacer, a_smaller_maximum_is_ignored) {
    traced_heap_options options = small_heap();
    options.max_nursery_bytes = 1;
    collection_pacer pacer(options);
    grow(pacer, 1000, 1000);
    EXPECT_EQ(bytes_left(pacer), 1000U);
}
