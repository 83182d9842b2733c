// Large arrays in a full marking in steps: they are traced slice by slice.

#include <freehold/traced/traced_array.hpp>

#include <gtest/gtest.h>
#include <freehold/traced/detail/marking_cycle.hpp>
#include <freehold/traced/traced_heap.hpp>

#include <cstddef>
#include <set>
#include <utility>

#include "support/opened_heap.hpp"

namespace {

struct array_slices_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, array_slices_tests>;

namespace {

using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;

struct node {
    int value = 0;
    freehold::traced_ptr<node> next = {};
};

constexpr std::size_t many = 20'000;  // pointers, which take 40 slices

using large = freehold::traced_array<freehold::traced_ptr<node>>;

traced_heap_options with_budget(std::size_t budget) {
    traced_heap_options options;
    options.pause_budget = budget;
    return options;
}

traced_local<large> full_array(traced_heap& heap) {
    const traced_heap::deferral all_at_once(heap);
    const traced_local<large> all = heap.make_array<freehold::traced_ptr<node>>(many);
    for (std::size_t i = 0; i < many; ++i) (*all)[i] = heap.make_unrooted<node>(static_cast<int>(i));
    return all;
}

// Effects: reuses what is free. Returns: the number of elements that are as they were made, wherever they are now.
std::size_t intact(traced_heap& heap, const large& all) {
    for (std::size_t i = 0; i < 2 * many; ++i) (void)heap.make_unrooted<node>(-1);
    std::set<int> found;
    for (const auto& each : all)
        if (each->value >= 0) found.insert(each->value);
    return found.size();
}

}  // namespace

TEST(array_slices, are_traced_in_steps) {
    traced_heap heap(with_budget(1));
    const traced_local<large> all = full_array(heap);
    heap.collect_young();
    freehold::detail::traced_collector& collector = support::collector_of(heap);
    collector.begin_cycle();
    std::size_t collections = 0;
    for (; collector.has_steps() && collections < 1000; ++collections) heap.collect_young();
    EXPECT_GT(collections, 40U);
    EXPECT_EQ(intact(heap, *all), many);
}

TEST(array_slices, elements_that_change_places_between_slices_are_not_lost) {
    traced_heap heap(with_budget(1));
    const traced_local<large> all = full_array(heap);
    heap.collect_young();
    freehold::detail::traced_collector& collector = support::collector_of(heap);
    collector.begin_cycle();
    std::size_t place = 1;
    while (collector.has_steps()) {
        for (int i = 0; i < 50; ++i) {
            place = place * 48271 % 2147483647;
            std::swap((*all)[place % many], (*all)[many - 1 - place % many]);
        }
        place % 3 == 0 ? heap.collect_young() : collector.step(1);
    }
    EXPECT_EQ(intact(heap, *all), many);
}

TEST(array_slices, a_young_collection_leaves_a_large_array_to_the_cycle) {
    traced_heap heap(with_budget(1));
    support::collector_of(heap).begin_cycle();
    const traced_local<large> all = full_array(heap);
    for (std::size_t i = 0; i < many && support::collector_of(heap).has_steps(); ++i) {
        support::collector_of(heap).step(100);
        heap.collect_young();
    }
    EXPECT_FALSE(support::collector_of(heap).has_steps());
    EXPECT_EQ(intact(heap, *all), many);
}

TEST(array_slices, are_all_traced_if_a_full_collection_overtakes_the_cycle) {
    traced_heap heap(with_budget(1));
    const traced_local<large> all = full_array(heap);
    heap.collect_young();
    support::collector_of(heap).begin_cycle();
    heap.collect_young();
    heap.collect();
    EXPECT_EQ(intact(heap, *all), many);
}

TEST(array_slices, come_in_steps_if_the_array_is_the_first_object_of_the_heap) {
    traced_heap_options options = with_budget(8192);
    std::size_t longest = 0;
    std::size_t full = 0;
    options.on_collection = [&](const freehold::traced_collection& each) {
        if (each.kind == freehold::traced_pause::full) ++full;
        if (each.work > longest) longest = each.work;
    };
    traced_heap heap(options);
    const traced_local<large> all = heap.make_array<freehold::traced_ptr<node>>(4'000'000);
    for (std::size_t i = 0; i < 1'000'000; ++i) (*all)[i] = heap.make_unrooted<node>();
    EXPECT_EQ(full, 0U);
    EXPECT_LE(longest, 4U * 8192);
}
