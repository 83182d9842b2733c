#include <gtest/gtest.h>
#include <freehold/memory/containers.hpp>

#include <iterator>

#include <freehold/memory/pool_resource.hpp>

#include "support/ledger_resource.hpp"

namespace containers = freehold::containers;
using freehold::pool_resource;

namespace {

// Of containers whose elements are numbers.
template <class Container>
class container : public testing::Test {};

using of_one_type =
    testing::Types<containers::vector<int, pool_resource>, containers::deque<int, pool_resource>,
                   containers::list<int, pool_resource>, containers::forward_list<int, pool_resource>,
                   containers::set<int, pool_resource>, containers::multiset<int, pool_resource>,
                   containers::unordered_set<int, pool_resource>, containers::unordered_multiset<int, pool_resource>>;

}  // namespace

TYPED_TEST_SUITE(container, of_one_type);

TYPED_TEST(container, its_elements_are_in_the_resource) {
    support::ledger_resource upstream;
    pool_resource pool(&upstream);
    TypeParam numbers(&pool);
    numbers = {1, 2, 3};
    EXPECT_EQ(std::distance(numbers.begin(), numbers.end()), 3);
    EXPECT_EQ(numbers.get_allocator().resource(), &pool);
    EXPECT_GT(upstream.allocations, 0);
}

TEST(containers, maps_have_their_pairs_in_the_resource) {
    support::ledger_resource upstream;
    pool_resource pool(&upstream);
    containers::map<int, int, pool_resource> map({{1, 2}, {3, 4}}, &pool);
    containers::multimap<int, int, pool_resource> multimap({{1, 2}, {1, 4}}, &pool);
    containers::unordered_map<int, int, pool_resource> table(&pool);
    table = {{1, 2}, {3, 4}};
    containers::unordered_multimap<int, int, pool_resource> multitable(&pool);
    multitable = {{1, 2}, {1, 4}};
    EXPECT_EQ(map.at(3), 4);
    EXPECT_EQ(multimap.count(1), 2U);
    EXPECT_EQ(table.at(3), 4);
    EXPECT_EQ(multitable.count(1), 2U);
}

TEST(containers, a_string_has_its_characters_in_the_resource) {
    support::ledger_resource upstream;
    pool_resource pool(&upstream);
    const containers::string<pool_resource> text("longer than what a string keeps in itself", &pool);
    EXPECT_EQ(upstream.allocations, 1);
    EXPECT_EQ(text, "longer than what a string keeps in itself");
}

TEST(containers, without_a_resource_type_any_resource_may_be_given) {
    support::ledger_resource resource;
    containers::vector<containers::string<>> texts(&resource);
    texts.emplace_back("longer than what a string keeps in itself");
    EXPECT_EQ(resource.allocations, 2);
}
