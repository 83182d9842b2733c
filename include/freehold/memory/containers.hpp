#pragma once
// freehold::containers: aliases of the standard containers over resource_allocator.
//
//     freehold::pool_resource pool;
//     freehold::containers::list<int, freehold::pool_resource> numbers(&pool);
//
// Without a resource type, any resource may be given, as in std::pmr. The aliases have a namespace of their own, so
// that `using namespace freehold` beside `using namespace std` stays possible.

#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "resource_allocator.hpp"

namespace freehold::inline v0_2::containers {

template <class T, class Resource = std::pmr::memory_resource>
using vector = std::vector<T, resource_allocator<T, Resource>>;

template <class T, class Resource = std::pmr::memory_resource>
using deque = std::deque<T, resource_allocator<T, Resource>>;

template <class T, class Resource = std::pmr::memory_resource>
using list = std::list<T, resource_allocator<T, Resource>>;

template <class T, class Resource = std::pmr::memory_resource>
using forward_list = std::forward_list<T, resource_allocator<T, Resource>>;

template <class Character, class Resource = std::pmr::memory_resource>
using basic_string = std::basic_string<Character, std::char_traits<Character>, resource_allocator<Character, Resource>>;

template <class Resource = std::pmr::memory_resource>
using string = basic_string<char, Resource>;

template <class T, class Resource = std::pmr::memory_resource, class Less = std::less<T>>
using set = std::set<T, Less, resource_allocator<T, Resource>>;

template <class T, class Resource = std::pmr::memory_resource, class Less = std::less<T>>
using multiset = std::multiset<T, Less, resource_allocator<T, Resource>>;

template <class Key, class T, class Resource = std::pmr::memory_resource, class Less = std::less<Key>>
using map = std::map<Key, T, Less, resource_allocator<std::pair<const Key, T>, Resource>>;

template <class Key, class T, class Resource = std::pmr::memory_resource, class Less = std::less<Key>>
using multimap = std::multimap<Key, T, Less, resource_allocator<std::pair<const Key, T>, Resource>>;

template <class T, class Resource = std::pmr::memory_resource, class Hash = std::hash<T>,
          class Equal = std::equal_to<T>>
using unordered_set = std::unordered_set<T, Hash, Equal, resource_allocator<T, Resource>>;

template <class T, class Resource = std::pmr::memory_resource, class Hash = std::hash<T>,
          class Equal = std::equal_to<T>>
using unordered_multiset = std::unordered_multiset<T, Hash, Equal, resource_allocator<T, Resource>>;

template <class Key, class T, class Resource = std::pmr::memory_resource, class Hash = std::hash<Key>,
          class Equal = std::equal_to<Key>>
using unordered_map = std::unordered_map<Key, T, Hash, Equal, resource_allocator<std::pair<const Key, T>, Resource>>;

template <class Key, class T, class Resource = std::pmr::memory_resource, class Hash = std::hash<Key>,
          class Equal = std::equal_to<Key>>
using unordered_multimap =
    std::unordered_multimap<Key, T, Hash, Equal, resource_allocator<std::pair<const Key, T>, Resource>>;

}  // namespace freehold::containers
