// The contract of the memory resources: containers use them, as any resource and by their type.

#include <deque>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include <freehold/memory/resource_allocator.hpp>

#include "families.hpp"

namespace contracts {

namespace {

// Longer than what a string keeps in itself.
std::string text(int i) { return "a string that is too long to be short " + std::to_string(i); }

}  // namespace

CONTRACT(general_resource, standard_containers_use_it_by_virtual_calls) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::pmr::vector<std::pmr::string> strings(&resource);
    std::pmr::map<int, std::pmr::string> map(&resource);
    std::pmr::unordered_map<int, int> table(&resource);
    std::pmr::list<int> list(&resource);
    std::pmr::deque<int> deque(&resource);
    for (int i = 0; i < 2000; ++i) {
        strings.emplace_back(text(i));
        map.emplace(i, text(i));
        table[i] = i;
        list.push_back(i);
        deque.push_front(i);
        if (i % 3 == 0) {
            map.erase(i / 2);
            table.erase(i / 2);
            list.pop_front();
            deque.pop_back();
        }
    }
    for (int i = 0; i < 2000; ++i) EXPECT_EQ(strings[static_cast<std::size_t>(i)], text(i).c_str());
    for (const auto& [key, value] : map) EXPECT_EQ(value, text(key).c_str());
    for (const auto& [key, value] : table) EXPECT_EQ(key, value);
    EXPECT_EQ(list.back(), 1999);
    EXPECT_EQ(deque.front(), 1999);
}

CONTRACT(general_resource, standard_containers_use_it_by_its_type) {
    using resource_type = typename TypeParam::resource;
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::list<int, freehold::resource_allocator<int, resource_type>> list(&resource);
    std::vector<int, freehold::resource_allocator<int, resource_type>> vector(&resource);
    std::map<int, int, std::less<>, freehold::resource_allocator<std::pair<const int, int>, resource_type>> map(
        &resource);
    for (int i = 0; i < 2000; ++i) {
        list.push_back(i);
        vector.push_back(i);
        map.emplace(i, i);
        if (i % 2 == 0) list.pop_front();
    }
    auto copy = list;
    EXPECT_EQ(copy, list);
    EXPECT_EQ(copy.get_allocator().resource(), &resource);
    auto moved = std::move(vector);
    EXPECT_EQ(moved.size(), 2000U);
    EXPECT_EQ(map.size(), 2000U);
}

}  // namespace contracts
