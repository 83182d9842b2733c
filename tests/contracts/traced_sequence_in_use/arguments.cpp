// What a call that grows a sequence is given survives the collection that it causes, and so does its owner.

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <list>
#include <sstream>
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

template <class Links>
int sum(const Links& links) {
    int all = 0;
    for (const link& each : links) all += each->number;
    return all;
}

template <class Sequence>
struct constructed {
    Sequence all;
    explicit constructed(std::size_t count) : all(count) {}
    constructed(std::size_t count, int value) : all(count, value) {}
    constructed(std::initializer_list<int> values) : all(values) {}
    constructed(const int* first, const int* last) : all(first, last) {}
    explicit constructed(std::istream& from) : all(std::istream_iterator<int>(from), std::istream_iterator<int>()) {}
    void trace(auto& visit) const { visit(all); }
};

}  // namespace

CONTRACT(traced_sequence_in_use, an_owner_without_a_root_survives_while_it_grows) {
    traced_heap heap(TestFixture::often());
    const traced_local<item> it = heap.make<item>(7);
    const traced_view<typename TestFixture::holder> owner = heap.make_unrooted<typename TestFixture::holder>();
    for (int i = 0; i < 100; ++i) {
        owner->all.push_back(it);
        owner->named.emplace_back();
    }
    EXPECT_EQ(owner->all.size(), 100U);
    EXPECT_EQ(sum(owner->all), 700);
}

CONTRACT(traced_sequence_in_use, handles_survive) {
    traced_heap heap(TestFixture::often());
    const auto its = heap.make<typename TestFixture::holder>();
    for (int i = 0; i < 20; ++i) its->all.push_back(heap.make_unrooted<item>(1));
    for (int i = 0; i < 20; ++i) its->all.emplace_back(heap.make_unrooted<item>(1));
    for (int i = 0; i < 20; ++i) its->all.insert(its->all.begin(), heap.make_unrooted<item>(1));
    its->all.insert(its->all.begin(), 40, heap.make_unrooted<item>(1));
    its->all.resize(200, heap.make_unrooted<item>(1));
    EXPECT_EQ(sum(its->all), 200);
    its->all.assign(500, heap.make_unrooted<item>(2));
    EXPECT_EQ(sum(its->all), 1000);
}

CONTRACT(traced_sequence_in_use, elements_survive) {
    traced_heap heap(TestFixture::often());
    const auto its = heap.make<typename TestFixture::holder>();
    for (int i = 0; i < 50; ++i) its->named.push_back({heap.make_unrooted<item>(i), "a"});
    for (int i = 0; i < 50; ++i) {
        const named_link outside = {heap.make_unrooted<item>(50 + i), "b"};
        its->named.push_back(outside);
    }
    for (int i = 0; i < 100; ++i) EXPECT_EQ(its->named[static_cast<std::size_t>(i)].to->number, i);
}

CONTRACT(traced_sequence_in_use, ranges_survive) {
    traced_heap heap(TestFixture::often());
    const auto its = heap.make<typename TestFixture::holder>();
    const auto made = [&heap](auto& to) {
        const traced_heap::deferral all_at_once(heap);
        for (int i = 0; i < 10; ++i) to.push_back(heap.make_unrooted<item>(1));
    };
    std::vector<link> pointers;
    made(pointers);
    its->all.assign(pointers.begin(), pointers.end());
    std::list<traced_view<item>> views;
    made(views);
    its->all.insert(its->all.begin(), views.begin(), views.end());
    std::vector<link> more;
    made(more);
    its->all.insert(its->all.end(), {more[0], more[1], more[2]});
    EXPECT_EQ(sum(its->all), 23);
    std::vector<named_link> named;
    {
        const traced_heap::deferral all_at_once(heap);
        for (int i = 0; i < 10; ++i) named.push_back({heap.make_unrooted<item>(1), "a"});
    }
    its->named.assign(named.begin(), named.end());
    for (const named_link& each : its->named) EXPECT_EQ(each.to->number, 1);
}

CONTRACT(traced_sequence_in_use, a_sequence_whose_owner_is_not_rooted_may_be_copied) {
    traced_heap heap(TestFixture::often());
    const auto its = heap.make<typename TestFixture::holder>();
    const auto made = [&heap] {
        const auto owner = heap.make<typename TestFixture::holder>();
        for (int i = 0; i < 100; ++i) owner->all.push_back(heap.make<item>(1));
        for (int i = 0; i < 100; ++i) owner->named.push_back({heap.make<item>(1), "a name that is not short at all"});
        return traced_view<typename TestFixture::holder>(owner);
    };
    its->all = made()->all;
    EXPECT_EQ(sum(its->all), 100);
    its->named = made()->named;
    EXPECT_EQ(its->named[99].name, "a name that is not short at all");
    its->named.push_back(made()->named[7]);
    EXPECT_EQ(its->named.back().name, "a name that is not short at all");
    EXPECT_EQ(its->named.back().to->number, 1);
}

CONTRACT(traced_sequence_in_use, elements_are_constructed_from_all_that_the_standard_allows) {
    traced_heap heap(TestFixture::often());
    using made = constructed<typename Implementation::template sequence<int>>;
    using ints = std::vector<int>;
    const auto of = [](const auto& object) { return ints(object->all.begin(), object->all.end()); };
    EXPECT_EQ(of(heap.make<made>(std::size_t{3})), ints(3));
    EXPECT_EQ(of(heap.make<made>(std::size_t{3}, 7)), ints(3, 7));
    const int values[] = {1, 2, 3};
    EXPECT_EQ(of(heap.make<made>(values, values + 3)), (ints{1, 2, 3}));
    const auto one = heap.make<made>(std::initializer_list<int>{1, 2, 3, 4});
    EXPECT_EQ(of(one), (ints{1, 2, 3, 4}));
    const auto copy = heap.make<made>(*one);
    EXPECT_EQ(of(copy), (ints{1, 2, 3, 4}));
    EXPECT_EQ(copy->all, one->all);
    EXPECT_EQ(of(heap.make<made>(std::move(*one))), (ints{1, 2, 3, 4}));
    EXPECT_TRUE(one->all.empty());
    EXPECT_LT(one->all, copy->all);
    one->all = {1, 2, 4};
    EXPECT_GT(one->all, copy->all);
    *one = *copy;
    EXPECT_EQ(one->all, copy->all);
    EXPECT_THROW(static_cast<void>(one->all.at(4)), std::out_of_range);
    std::istringstream text("1 2 3 4 5 6 7 8 9");
    EXPECT_EQ(of(heap.make<made>(text)), (ints{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

CONTRACT(traced_sequence_in_use, a_sequence_takes_one_out_of_its_own_element) {
    struct tree {
        std::string name = {};
        typename Implementation::template sequence<tree> parts = {};
    };
    traced_heap heap(TestFixture::often());
    const auto root = heap.make<tree>();
    root->parts.emplace_back();
    root->parts[0].parts.emplace_back();
    root->parts[0].name = "a name that is not short at all";
    root->parts[0].parts[0].name = "another one that is not short either";
    root->parts = std::move(root->parts[0].parts);
    ASSERT_EQ(root->parts.size(), 1U);
    EXPECT_EQ(root->parts[0].name, "another one that is not short either");
}

}  // namespace contracts
