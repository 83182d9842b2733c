#include <gtest/gtest.h>
#include <freehold/memory/resource_allocator.hpp>

#include <cstddef>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <scoped_allocator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/ledger_resource.hpp"

using freehold::resource_allocator;

namespace {

// A resource whose virtual functions must not be called.
class direct_resource final : public std::pmr::memory_resource {
public:
    void* allocate(std::size_t bytes, std::size_t alignment) {
        ++allocations;
        return ::operator new(bytes, std::align_val_t{alignment});
    }

    void deallocate(void* block, std::size_t, std::size_t alignment) noexcept {
        ++deallocations;
        ::operator delete(block, std::align_val_t{alignment});
    }

    int allocations = 0;
    int deallocations = 0;

private:
    void* do_allocate(std::size_t, std::size_t) override { throw std::bad_alloc(); }
    void do_deallocate(void*, std::size_t, std::size_t) override { ADD_FAILURE() << "a virtual call"; }
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }
};

template <class T>
using direct_allocator = resource_allocator<T, direct_resource>;

using direct_string = std::basic_string<char, std::char_traits<char>, direct_allocator<char>>;

constexpr const char* long_text = "a text that is too long to be kept in the string itself";

}  // namespace

using traits = std::allocator_traits<direct_allocator<int>>;
static_assert(std::is_same_v<traits::rebind_alloc<char>, direct_allocator<char>>);
static_assert(std::is_same_v<traits::pointer, int*>);
static_assert(!traits::is_always_equal::value);
static_assert(!traits::propagate_on_container_copy_assignment::value);
static_assert(!traits::propagate_on_container_move_assignment::value);
static_assert(!traits::propagate_on_container_swap::value);
static_assert(sizeof(direct_allocator<int>) == sizeof(void*));
static_assert(std::is_trivially_copyable_v<direct_allocator<int>>);
static_assert(std::is_nothrow_default_constructible_v<resource_allocator<int>>);
static_assert(!std::is_default_constructible_v<direct_allocator<int>>);
static_assert(std::is_nothrow_convertible_v<direct_resource*, direct_allocator<int>>);
static_assert(std::is_nothrow_convertible_v<direct_resource*, resource_allocator<int>>);
static_assert(std::is_nothrow_convertible_v<direct_allocator<int>, direct_allocator<void>>);
static_assert(std::is_nothrow_convertible_v<direct_allocator<int>, resource_allocator<char>>);
static_assert(!std::is_convertible_v<resource_allocator<int>, direct_allocator<int>>);
static_assert(std::is_nothrow_convertible_v<direct_allocator<int>, std::pmr::polymorphic_allocator<char>>);

TEST(resource_allocator, it_calls_the_resource_by_its_type) {
    direct_resource resource;
    {
        std::list<int, direct_allocator<int>> list({1, 2, 3}, &resource);
        list.pop_back();
    }
    EXPECT_GE(resource.allocations, 3);
    EXPECT_EQ(resource.allocations, resource.deallocations);
}

TEST(resource_allocator, it_asks_for_the_size_and_alignment_of_its_type) {
    struct alignas(64) line {
        char bytes[192];
    };
    support::ledger_resource resource;
    resource_allocator<line> allocator(&resource);
    line* const lines = allocator.allocate(3);
    EXPECT_EQ(resource.last_request.bytes, 3 * sizeof(line));
    EXPECT_EQ(resource.last_request.alignment, 64U);
    allocator.deallocate(lines, 3);
    EXPECT_EQ(resource.deallocations, 1);
}

TEST(resource_allocator, a_length_whose_bytes_are_not_representable_is_refused) {
    support::ledger_resource resource;
    resource_allocator<int> allocator(&resource);
    constexpr std::size_t too_many = std::numeric_limits<std::size_t>::max() / sizeof(int) + 1;
    EXPECT_THROW(static_cast<void>(allocator.allocate(too_many)), std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(allocator.allocate(too_many * 3)), std::bad_array_new_length);
    EXPECT_EQ(resource.allocations, 0);
}

TEST(resource_allocator, what_the_resource_throws_is_passed_on) {
    support::ledger_resource resource;
    resource.allocations_left = 0;
    resource_allocator<int> allocator(&resource);
    EXPECT_THROW(static_cast<void>(allocator.allocate(1)), support::upstream_failure);
}

TEST(resource_allocator, it_is_equal_where_the_resources_are) {
    direct_resource resource;
    direct_resource other;
    const direct_allocator<int> allocator(&resource);
    EXPECT_TRUE(allocator == direct_allocator<char>(allocator));
    EXPECT_EQ(direct_allocator<char>(allocator).resource(), &resource);
    EXPECT_FALSE(allocator == direct_allocator<int>(&other));
    EXPECT_TRUE(allocator != direct_allocator<int>(&other));
}

TEST(resource_allocator, its_default_is_the_default_resource) {
    support::ledger_resource resource;
    std::pmr::memory_resource* const before = std::pmr::set_default_resource(&resource);
    EXPECT_EQ(resource_allocator<int>().resource(), &resource);
    std::pmr::set_default_resource(before);
    EXPECT_EQ(resource_allocator<int>().resource(), before);
}

TEST(resource_allocator, a_copy_of_a_container_takes_the_default_resource_where_there_is_one) {
    support::ledger_resource resource;
    const std::vector<int, resource_allocator<int>> any({1, 2}, &resource);
    const auto copy = any;
    EXPECT_EQ(copy.get_allocator().resource(), std::pmr::get_default_resource());
    EXPECT_EQ(copy, any);
}

TEST(resource_allocator, a_copy_of_a_container_stays_with_a_resource_that_is_named) {
    direct_resource resource;
    const std::vector<int, direct_allocator<int>> typed({1, 2}, &resource);
    const auto copy = typed;
    EXPECT_EQ(copy.get_allocator().resource(), &resource);
    EXPECT_EQ(copy, typed);
}

TEST(resource_allocator, elements_are_given_the_allocator) {
    direct_resource resource;
    std::vector<direct_string, direct_allocator<direct_string>> strings(&resource);
    strings.emplace_back(long_text);
    EXPECT_EQ(strings[0].get_allocator().resource(), &resource);
    EXPECT_EQ(strings[0], long_text);
}

TEST(resource_allocator, both_parts_of_a_pair_are_given_the_allocator) {
    direct_resource resource;
    std::map<direct_string, direct_string, std::less<>, direct_allocator<std::pair<const direct_string, direct_string>>>
        map(&resource);
    map.emplace(long_text, long_text);
    EXPECT_EQ(map.begin()->first.get_allocator().resource(), &resource);
    EXPECT_EQ(map.begin()->second.get_allocator().resource(), &resource);
}

TEST(resource_allocator, elements_that_take_a_polymorphic_allocator_are_given_the_resource) {
    support::ledger_resource resource;
    using allocator = resource_allocator<std::pmr::string, support::ledger_resource>;
    std::vector<std::pmr::string, allocator> strings(&resource);
    strings.emplace_back(long_text);
    EXPECT_EQ(strings[0].get_allocator().resource(), &resource);
}

TEST(resource_allocator, a_shared_object_can_be_allocated_with_it) {
    direct_resource resource;
    const auto object = std::allocate_shared<int>(direct_allocator<int>(&resource), 7);
    EXPECT_EQ(*object, 7);
    EXPECT_EQ(resource.allocations, 1);
}
