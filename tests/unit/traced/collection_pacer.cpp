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
    return options;
}

// Returns: how many bytes may be made before the next collection.
std::size_t bytes_left(collection_pacer pace) {
    std::size_t bytes = 0;
    for (; !pace.is_due(); ++bytes) pace.count_young(1);
    return bytes;
}

// Effects: as many objects are made as it takes for a young collection, which so many bytes of them survive.
void grow(collection_pacer& pace, std::size_t survived_bytes, std::size_t live_bytes) {
    pace.count_young(bytes_left(pace));
    pace.after_young(survived_bytes, live_bytes);
}

}  // namespace

TEST(collection_pacer, no_collection_is_due_where_the_bytes_are_never_made) {
    traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = std::numeric_limits<std::size_t>::max();
    collection_pacer pace(options);
    pace.count_young(std::size_t{1} << 40);
    EXPECT_FALSE(pace.is_due());
}

TEST(collection_pacer, a_full_collection_is_never_due_where_growth_has_no_limit) {
    traced_heap_options options = small_heap();
    options.growth_factor = std::numeric_limits<double>::infinity();
    collection_pacer pace(options);
    pace.after_full(1000);
    pace.count_young(1000);
    EXPECT_FALSE(pace.is_full_due(std::size_t{1} << 40));
    pace.after_young(1000, 2000);
    EXPECT_FALSE(pace.is_full_due(std::size_t{1} << 40));
}

TEST(collection_pacer, a_collection_is_due_after_the_young_bytes) {
    collection_pacer pace(small_heap());
    EXPECT_EQ(bytes_left(pace), 1000U);
    pace.count_young(1000);
    EXPECT_TRUE(pace.is_due());
}

TEST(collection_pacer, a_full_one_is_due_when_live_objects_have_grown) {
    collection_pacer pace(small_heap());
    EXPECT_FALSE(pace.is_full_due(9999));
    EXPECT_TRUE(pace.is_full_due(10'000));
    pace.after_full(8000);
    EXPECT_FALSE(pace.is_full_due(15'999));
    EXPECT_TRUE(pace.is_full_due(16'000));
}

TEST(collection_pacer, few_live_objects_do_not_make_a_full_one_due) {
    collection_pacer pace(small_heap());
    pace.after_full(1);
    EXPECT_FALSE(pace.is_full_due(9999));
}

TEST(collection_pacer, where_a_quarter_died_the_next_comes_as_soon) {
    collection_pacer pace(small_heap());
    grow(pace, 740, 740);
    EXPECT_EQ(bytes_left(pace), 1000U);
}

TEST(collection_pacer, where_nearly_all_survived_the_next_is_put_off) {
    collection_pacer pace(small_heap());
    grow(pace, 1000, 1000);
    EXPECT_EQ(bytes_left(pace), 5000U) << "at most so many";
}

TEST(collection_pacer, one_is_put_off_until_a_full_one_is_due) {
    collection_pacer pace(small_heap());
    grow(pace, 1000, 7000);
    EXPECT_EQ(bytes_left(pace), 3000U);
    EXPECT_TRUE(pace.is_full_due(7000)) << "young objects are expected to survive";
}

TEST(collection_pacer, one_is_not_put_off_for_less_than_the_young_bytes) {
    collection_pacer pace(small_heap());
    grow(pace, 1000, 9999);
    EXPECT_EQ(bytes_left(pace), 1000U);
    grow(pace, 1000, 10'999);
    EXPECT_EQ(bytes_left(pace), 1000U);
}

TEST(collection_pacer, what_was_expected_is_forgotten_with_garbage_and_with_a_full_one) {
    collection_pacer pace(small_heap());
    grow(pace, 1000, 1000);
    grow(pace, 0, 1000);
    EXPECT_EQ(bytes_left(pace), 1000U);
    grow(pace, 1000, 1000);
    pace.after_full(1000);
    EXPECT_EQ(bytes_left(pace), 1000U);
    EXPECT_FALSE(pace.is_full_due(9999));
}

TEST(collection_pacer, one_that_was_asked_for_early_tells_nothing) {
    collection_pacer pace(small_heap());
    pace.count_young(999);
    pace.after_young(999, 999);
    EXPECT_EQ(bytes_left(pace), 1000U);
}

TEST(collection_pacer, young_bytes_beyond_the_most_count) {
    traced_heap_options options = small_heap();
    options.max_nursery_bytes = 1;
    collection_pacer pace(options);
    grow(pace, 1000, 1000);
    EXPECT_EQ(bytes_left(pace), 1000U);
}
