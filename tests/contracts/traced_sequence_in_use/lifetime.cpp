// What sequences in a traced heap keep alive, and when their elements are destroyed.

#include <freehold/diagnosis/traced_snapshot.hpp>
#include <freehold/traced/ephemeron.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "families.hpp"
#include "support/effort.hpp"
#include "support/traced_options.hpp"

namespace contracts {

using freehold::traced_heap;
using freehold::traced_local;
using support::tracked;

namespace {

template <class Holder>
traced_local<Holder> holder_of(traced_heap& heap, int count) {
    const auto its = heap.make<Holder>();
    for (int i = 0; i < count; ++i) its->all.push_back(heap.make<item>(i));
    return its;
}

}  // namespace

CONTRACT(traced_sequence_in_use, what_is_removed_is_not_kept_alive) {
    using holder = typename TestFixture::holder;
    traced_heap heap;
    const traced_local<holder> its = holder_of<holder>(heap, 100);
    EXPECT_EQ(TestFixture::alive(heap), 100);
    const freehold::traced_weak_ptr<item> last = its->all.back();
    its->all.pop_back();
    EXPECT_EQ(TestFixture::alive(heap), 99);
    EXPECT_TRUE(last.expired());
    its->all.erase(its->all.begin() + 5);
    EXPECT_EQ(TestFixture::alive(heap), 98);
    its->all.erase(its->all.begin(), its->all.begin() + 10);
    EXPECT_EQ(TestFixture::alive(heap), 88);
    its->all.resize(50);
    EXPECT_EQ(TestFixture::alive(heap), 50);
    const auto other = heap.make<holder>();
    other->all = std::move(its->all);
    EXPECT_EQ(TestFixture::alive(heap), 50);
    swap(its->all, other->all);
    other->all.push_back(its->all.front());
    its->all.clear();
    EXPECT_EQ(TestFixture::alive(heap), 1);
    other->all.shrink_to_fit();
    other->all = {};
    EXPECT_EQ(TestFixture::alive(heap), 0);
}

CONTRACT(traced_sequence_in_use, its_elements_are_destroyed_when_removed_or_by_the_collection) {
    struct counted {
        typename Implementation::template sequence<tracked> all = {};
    };
    traced_heap heap;
    for (const std::size_t size : {std::size_t{10}, std::size_t{100'000}}) {
        traced_local<counted> its = heap.make<counted>();
        its->all.resize(size);
        EXPECT_EQ(tracked::alive(), static_cast<int>(size));
        its->all.resize(size - 3);
        EXPECT_EQ(tracked::alive(), static_cast<int>(size) - 3);
        its->all.erase(its->all.begin());
        EXPECT_EQ(tracked::alive(), static_cast<int>(size) - 4);
        its->all.shrink_to_fit();
        EXPECT_EQ(tracked::alive(), static_cast<int>(size) - 4);
        its = nullptr;
        EXPECT_EQ(tracked::alive(), static_cast<int>(size) - 4);
        EXPECT_EQ(TestFixture::alive(heap), 0);
    }
}

// Beyond a cell, and beyond the part of a chunk that has cards in its header.
CONTRACT(traced_sequence_in_use, large_ones_are_collected_in_steps) {
    using holder = typename TestFixture::holder;
    const int size = support::effort(700'000, 5000);
    for (const std::size_t budget : {64U, 8192U}) {
        freehold::traced_heap_options options;
        options.pause_budget = budget;
        traced_heap heap(options);
        const traced_local<holder> its = holder_of<holder>(heap, size);
        const auto count = static_cast<std::size_t>(size);
        for (std::size_t i = 0; i < count; i += 997) its->all[i] = heap.make<item>(-1);
        for (int i = 0; i < 1000; ++i) static_cast<void>(heap.make<item>(i));
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(its->all[i]->number, i % 997 == 0 ? -1 : static_cast<int>(i));
        }
        EXPECT_EQ(TestFixture::alive(heap), size);
        its->all.erase(its->all.begin() + 1, its->all.end() - 1);
        EXPECT_EQ(TestFixture::alive(heap), 2);
    }
}

CONTRACT(traced_sequence_in_use, a_finalizer_may_change_the_sequence_that_grows) {
    using holder = typename TestFixture::holder;
    traced_heap heap(TestFixture::often());
    const auto its = heap.make<holder>();
    const auto value = heap.make<item>(1);
    for (int round = 0; round < 12; ++round) {
        its->all.assign(20, value);
        its->all.shrink_to_fit();
        {
            const traced_heap::deferral until_it_grows(heap);
            for (int i = 0; i < 50; ++i) {
                heap.add_finalizer(heap.make<item>(-1), [its = its.get(), round](item& found) {
                    if (round < 8) return its->all.push_back(freehold::traced_view<item>(&found));
                    if (!its->all.empty()) its->all.pop_back();
                });
            }
        }
        switch (round % 4) {
            case 0:
                for (int i = 0; i < 30; ++i) its->all.push_back(value);
                break;
            case 1: its->all.resize(50, value); break;
            case 2: its->all.insert(its->all.begin() + 19, 30, value); break;
            default: {
                const std::vector<link> values(30, value);
                its->all.insert(its->all.begin() + 19, values.begin(), values.end());
                break;
            }
        }
        EXPECT_GE(its->all.size(), round < 8 ? 70U : 1U);
        int finalized = 0;
        for (const link& each : its->all) finalized += each->number == -1 ? 1 : 0;
        EXPECT_EQ(finalized, round < 8 ? 50 : 0);
    }
}

CONTRACT(traced_sequence_in_use, a_finalizer_may_change_the_sequence_that_is_copied) {
    using holder = typename TestFixture::holder;
    traced_heap heap(TestFixture::often());
    for (const bool grows : {false, true}) {
        const auto its = heap.make<holder>();
        const auto copy = heap.make<holder>();
        its->named.resize(20);
        for (auto& each : its->named) each.name = std::string(100, 'x');
        {
            const traced_heap::deferral until_it_grows(heap);
            heap.add_finalizer(heap.make<item>(-1), [its = its.get(), grows](item&) {
                its->named.resize(grows ? 100 : 10);
                its->named.shrink_to_fit();
            });
        }
        copy->named = its->named;
        ASSERT_EQ(copy->named.size(), grows ? 100U : 10U);
        EXPECT_EQ(copy->named[9].name, std::string(100, 'x'));
    }
}

CONTRACT(traced_sequence_in_use, an_element_is_the_key_of_an_ephemeron) {
    using holder = typename TestFixture::holder;
    traced_heap heap;
    const traced_local<holder> its = holder_of<holder>(heap, 1);
    const freehold::ephemeron<item, holder> pair(its->all[0], holder_of<holder>(heap, 5));
    EXPECT_EQ(TestFixture::alive(heap), 6);
    its->all.pop_back();
    EXPECT_EQ(TestFixture::alive(heap), 0);
    EXPECT_TRUE(pair.expired());
}

CONTRACT(traced_sequence_in_use, a_snapshot_shows_its_memory_under_its_name) {
    using holder = typename TestFixture::holder;
    traced_heap heap;
    const traced_local<holder> its = holder_of<holder>(heap, 5000);
    const freehold::heap_snapshot snapshot = snapshot_of(heap);
    int found = 0;
    for (const auto& line : census(snapshot)) {
        if (line.type.find(std::string(Implementation::name) + "<") != std::string::npos) ++found;
    }
    EXPECT_GE(found, 1);
    EXPECT_EQ(who_owns(snapshot, its->all[4999].get()).owners.size(), 2U);
}

}  // namespace contracts
