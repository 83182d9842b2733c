// Resources and containers neither call by name nor apply operators where an element's type could answer.

#include <gtest/gtest.h>
#include <freehold/memory/containers.hpp>
#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/pooled_object.hpp>
#include <freehold/memory/small_block_allocator.hpp>

#include <functional>
#include <memory>
#include <utility>

#include "hostile_types.hpp"

namespace {

template <class T, class Allocator>
void use_allocator(Allocator allocator) {
    using traits = std::allocator_traits<Allocator>;
    T* const place = traits::allocate(allocator, 1);
    traits::construct(allocator, place);
    traits::destroy(allocator, place);
    traits::deallocate(allocator, place, 1);
    const Allocator copy(allocator);
    EXPECT_TRUE(freehold::operator==(copy, allocator));
}

template <class T>
void use_allocators() {
    freehold::pool_resource pool;
    ::use_allocator<T>(freehold::resource_allocator<T>(&pool));
    ::use_allocator<T>(freehold::resource_allocator<T, freehold::pool_resource>(&pool));
    ::use_allocator<T>(freehold::small_block_allocator<T>());
}

template <class Container>
void use_container(Container container) {
    container.emplace_back();
    container.emplace_back();
    Container copy(container);
    copy = std::move(container);
    EXPECT_EQ(copy.size(), 2U);
}

}  // namespace

TEST(hostile_types, allocators_make_them) {
    ::use_allocators<hostile::pointer>();
    ::use_allocators<hostile::object>();
}

TEST(hostile_types, containers_hold_them) {
    // Not of a hostile::pointer: the standard library's own containers look for the friends of their elements.
    freehold::monotonic_resource memory;
    ::use_container(freehold::containers::vector<hostile::object, freehold::monotonic_resource>(&memory));
    ::use_container(freehold::containers::deque<hostile::object, freehold::monotonic_resource>(&memory));
    ::use_container(freehold::containers::list<hostile::object, freehold::monotonic_resource>(&memory));
    freehold::containers::map<int, hostile::object, freehold::monotonic_resource> map(&memory);
    map.try_emplace(1);
    EXPECT_EQ(map.size(), 1U);
}

TEST(hostile_types, pooled_objects_hold_them) {
    struct pooled : freehold::pooled_object {
        hostile::pointer pointer = nullptr;
        hostile::object object;
    };
    const auto made = std::make_unique<pooled>();
    EXPECT_TRUE(made->pointer == nullptr);
}
