// What maps in a traced heap keep alive, and what a call that grows one does.

#include <freehold/diagnosis/traced_snapshot.hpp>

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "families.hpp"

namespace contracts {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_view;

namespace {

template <class Map>
struct constructed {
    Map all;
    constructed(std::initializer_list<std::pair<std::string, int>> values) : all(values) {}
    template <class Iterator>
    constructed(Iterator first, Iterator last) : all(first, last) {}
    void trace(auto& visit) const { visit(all); }
};

}  // namespace

CONTRACT(traced_map_in_heap, it_is_constructed_from_pairs) {
    traced_heap heap(TestFixture::often());
    using map = constructed<typename Implementation::template map<std::string, int>>;
    const auto one = heap.make<map>(std::initializer_list<std::pair<std::string, int>>{{"a", 1}, {"b", 2}, {"a", 3}});
    ASSERT_EQ(one->all.size(), 2U);
    EXPECT_EQ(one->all.at("a"), 1);
    EXPECT_THROW(static_cast<void>(one->all.at("c")), std::out_of_range);
    const std::vector<std::pair<const char*, int>> pairs = {{"b", 2}, {"a", 1}};
    const auto other = heap.make<map>(pairs.begin(), pairs.end());
    EXPECT_EQ(one->all, other->all);
    const auto copy = heap.make<map>(*one);
    EXPECT_EQ(one->all, copy->all);
    copy->all["b"] = 5;
    EXPECT_FALSE(one->all == copy->all);
    const auto taken = heap.make<map>(std::move(*copy));
    EXPECT_TRUE(copy->all.empty());
    EXPECT_EQ(taken->all.at("b"), 5);
    copy->all["c"] = 7;
    EXPECT_EQ(copy->all.at("c"), 7);
    EXPECT_TRUE(copy->all.insert({"d", 8}).second);
    copy->all.insert({{"d", 9}, {"e", 10}});
    EXPECT_EQ(copy->all.at("d") + copy->all.at("e"), 18);
}

CONTRACT(traced_map_in_heap, one_without_entries_may_be_anywhere) {
    const typename TestFixture::by_name none;
    const typename TestFixture::by_name copy = none;
    typename TestFixture::by_name moved;
    moved = copy;
    moved = typename TestFixture::by_name();
    EXPECT_TRUE(moved.empty());
    EXPECT_FALSE(moved.contains("a"));
    EXPECT_EQ(moved, none);
}

CONTRACT(traced_map_in_heap, keys_and_values_keep_alive_what_they_point_to) {
    traced_heap heap;
    const auto its = heap.make<typename TestFixture::holder>();
    for (int i = 0; i < 100; ++i) {
        its->names[std::to_string(i)] = heap.make<symbol>(i);
        its->symbols[heap.make<symbol>(i)] = i;
    }
    heap.collect_young();
    EXPECT_EQ(TestFixture::alive(heap), 200);
    for (const auto [name, its_symbol] : its->names) EXPECT_EQ(std::to_string(its_symbol->number), name);
    for (const auto [its_symbol, number] : its->symbols) EXPECT_EQ(its_symbol->number, number);
    const traced_local<symbol> key = (*its->symbols.begin()).first;
    EXPECT_EQ(its->symbols.at(key), key->number);
    its->names.erase("7");
    its->symbols.erase(key);
    EXPECT_EQ(TestFixture::alive(heap), 199);
    its->symbols.clear();
    EXPECT_EQ(TestFixture::alive(heap), 100);
    const auto other = heap.make<typename TestFixture::holder>();
    other->names = std::move(its->names);
    its->names["0"] = heap.make<symbol>(0);
    EXPECT_EQ(TestFixture::alive(heap), 101);
    other->names = {};
    its->names = {};
    EXPECT_EQ(TestFixture::alive(heap), 1);
}

CONTRACT(traced_map_in_heap, what_a_call_is_given_survives_while_the_map_grows) {
    traced_heap heap(TestFixture::often());
    const auto its = heap.make<typename TestFixture::holder>();
    for (int i = 0; i < 40; ++i) {
        its->names.try_emplace(std::to_string(i), heap.make_unrooted<symbol>(i));
        its->names.insert(
            std::pair<std::string, traced_view<symbol>>("v" + std::to_string(i), heap.make_unrooted<symbol>(i)));
        its->symbols.try_emplace(heap.make_unrooted<symbol>(i), i);
        its->symbols[heap.make_unrooted<symbol>(i + 40)] = i + 40;
        its->numbers.insert_or_assign(i, heap.make_unrooted<symbol>(i));
    }
    for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(its->names.at(std::to_string(i))->number, i);
        EXPECT_EQ(its->names.at("v" + std::to_string(i))->number, i);
        EXPECT_EQ(its->numbers.at(i)->number, i);
    }
    for (const auto [key, number] : its->symbols) EXPECT_EQ(key->number, number);
}

CONTRACT(traced_map_in_heap, ranges_survive_while_the_map_grows) {
    traced_heap heap(TestFixture::often());
    const auto its = heap.make<typename TestFixture::holder>();
    std::vector<std::pair<std::string, symbol_ptr>> pairs;
    {
        const traced_heap::deferral all_at_once(heap);
        for (int i = 0; i < 40; ++i) pairs.emplace_back(std::to_string(i), heap.make_unrooted<symbol>(i));
    }
    its->names.insert(pairs.begin(), pairs.end());
    for (int i = 0; i < 40; ++i) EXPECT_EQ(its->names.at(std::to_string(i))->number, i);
    const auto made = [&heap] {
        const auto owner = heap.make<typename TestFixture::holder>();
        for (int i = 0; i < 40; ++i) owner->names["m" + std::to_string(i)] = heap.make<symbol>(i);
        return traced_view<typename TestFixture::holder>(owner);
    };
    const traced_view<typename TestFixture::holder> owner = made();
    its->names.insert(owner->names.begin(), owner->names.end());
    EXPECT_EQ(its->names.size(), 80U);
    its->names = made()->names;
    EXPECT_EQ(its->names.size(), 40U);
    for (int i = 0; i < 40; ++i) EXPECT_EQ(its->names.at("m" + std::to_string(i))->number, i);
}

CONTRACT(traced_map_in_heap, an_owner_without_a_root_survives_while_it_grows) {
    traced_heap heap(TestFixture::often());
    const traced_local<symbol> it = heap.make<symbol>(7);
    const traced_view<typename TestFixture::holder> owner = heap.make_unrooted<typename TestFixture::holder>();
    for (int i = 0; i < 100; ++i) owner->numbers[i] = it;
    EXPECT_EQ(owner->numbers.size(), 100U);
    EXPECT_EQ(owner->numbers.at(99)->number, 7);
}

CONTRACT(traced_map_in_heap, a_value_is_made_from_one_of_its_own) {
    traced_heap heap(TestFixture::often());
    struct holder {
        typename Implementation::template map<std::string, std::string> all = {};
    };
    const auto its = heap.make<holder>();
    its->all["0"] = std::string(100, 'x');
    for (int i = 1; i < 100; ++i) its->all.try_emplace(std::to_string(i), its->all.at("0"));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(its->all.at(std::to_string(i)), std::string(100, 'x'));
    its->all.insert_or_assign(std::string("1"), std::move(its->all.at("2")));
    EXPECT_EQ(its->all.at("1"), std::string(100, 'x'));
}

CONTRACT(traced_map_in_heap, what_is_not_inserted_is_not_moved) {
    traced_heap heap;
    struct holder {
        typename Implementation::template map<std::string, std::string> all = {};
    };
    const auto its = heap.make<holder>();
    its->all["a"] = "b";
    std::string value(100, 'x');
    std::string key = "a";
    EXPECT_FALSE(its->all.try_emplace(std::move(key), std::move(value)).second);
    EXPECT_EQ(key, "a");                      // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(value, std::string(100, 'x'));  // NOLINT(bugprone-use-after-move)
}

CONTRACT(traced_map_in_heap, a_finalizer_may_change_the_map_that_grows) {
    traced_heap heap(TestFixture::often());
    const auto its = heap.make<typename TestFixture::holder>();
    const auto value = heap.make<symbol>(1);
    for (const bool removes : {false, true}) {
        its->numbers = {};
        for (int i = 0; i < 20; ++i) its->numbers[i * 10] = value;
        {
            const traced_heap::deferral until_it_grows(heap);
            for (int i = 0; i < 50; ++i) {
                heap.add_finalizer(heap.make<symbol>(-1), [its = its.get(), removes, i](symbol& found) {
                    if (removes) {
                        its->numbers.erase(i * 10);
                    } else {
                        its->numbers[i * 10 + 1] = traced_view<symbol>(&found);
                    }
                });
            }
        }
        for (int i = 0; i < 30; ++i) its->numbers[i * 10 + 5] = value;
        EXPECT_EQ(its->numbers.size(), removes ? 30U : 100U);
        for (int i = 0; i < 30; ++i) EXPECT_TRUE(its->numbers.contains(i * 10 + 5)) << i;
        for (int i = 0; i < 50; ++i) EXPECT_EQ(its->numbers.contains(i * 10 + 1), !removes) << i;
        for (int i = 0; i < 20; ++i) EXPECT_EQ(its->numbers.contains(i * 10), !removes) << i;
    }
}

namespace {

// What finalizers do to the map that grows to add a key, while the number of entries may stay.
template <class Map>
using change = void (*)(Map& its, Map& other, int key, traced_view<symbol> value);

template <class Map>
constexpr change<Map> changes[] = {
    [](Map& its, Map&, int key, traced_view<symbol> value) { its[key] = value; },
    [](Map& its, Map& other, int, traced_view<symbol>) { its.swap(other); },
    [](Map& its, Map& other, int, traced_view<symbol>) { other = std::move(its); },
    [](Map& its, Map& other, int, traced_view<symbol>) { its = other; },
    [](Map& its, Map&, int key, traced_view<symbol> value) {
        its.erase(its.begin());
        its[key - 1000] = value;
    },
};

}  // namespace

CONTRACT(traced_map_in_heap, a_finalizer_may_change_the_map_in_any_way_while_it_grows) {
    using by_number = typename TestFixture::by_number;
    for (const auto change : changes<by_number>) {
        traced_heap heap(TestFixture::often());
        const auto its = heap.make<typename TestFixture::holder>();
        const auto other = heap.make<typename TestFixture::holder>();
        const auto value = heap.make<symbol>(1);
        int added = 0;
        for (; added < 100; ++added) {
            {
                const traced_heap::deferral until_it_grows(heap);
                if (added != 0) {
                    heap.add_finalizer(heap.make<symbol>(-1), [&, change](symbol& found) {
                        change(its->numbers, other->numbers, added, traced_view<symbol>(&found));
                    });
                }
            }
            its->numbers.insert_or_assign(added, value);
            ASSERT_EQ(its->numbers.at(added), value);
            int before = -10'000;
            int entries = 0;
            for (const auto& [key, each] : its->numbers) {
                ASSERT_TRUE(its->numbers.contains(key)) << added;
                entries += key == added ? 1 : 0;
                if constexpr (requires { its->numbers.lower_bound(0); }) {
                    ASSERT_LT(before, key);
                    before = key;
                }
            }
            ASSERT_EQ(entries, 1) << added;
        }
    }
}

CONTRACT(traced_map_in_heap, a_finalizer_may_change_the_map_that_is_copied) {
    traced_heap heap(TestFixture::often());
    for (int size = 1; size < 50; ++size) {
        const auto its = heap.make<typename TestFixture::holder>();
        const auto copy = heap.make<typename TestFixture::holder>();
        const auto value = heap.make<symbol>(1);
        for (int i = 0; i < size; ++i) its->numbers[i] = value;
        {
            const traced_heap::deferral until_it_grows(heap);
            for (int i = 0; i < 50; ++i) {
                heap.add_finalizer(heap.make<symbol>(-1), [&](symbol& found) {
                    its->numbers[static_cast<int>(its->numbers.size())] = traced_view<symbol>(&found);
                });
            }
        }
        copy->numbers = its->numbers;
        ASSERT_EQ(copy->numbers.size(), static_cast<std::size_t>(size) + 50);
        ASSERT_EQ(copy->numbers, its->numbers);
    }
}

CONTRACT(traced_map_in_heap, a_snapshot_shows_its_memory) {
    traced_heap heap;
    const auto its = heap.make<typename TestFixture::holder>();
    for (int i = 0; i < 1000; ++i) its->numbers[i] = heap.make<symbol>(i);
    const freehold::heap_snapshot snapshot = snapshot_of(heap);
    EXPECT_EQ(who_owns(snapshot, its->numbers.at(999).get()).owners.size(), 2U);
}

}  // namespace contracts
