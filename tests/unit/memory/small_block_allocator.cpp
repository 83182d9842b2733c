#include <gtest/gtest.h>
#include <freehold/memory/small_block_allocator.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <freehold/memory/small_block_pool.hpp>

using freehold::small_block_allocator;

namespace {

struct alignas(64) cache_line {
    char bytes[64];
};

template <class T>
bool is_aligned(const T* object) {
    return reinterpret_cast<std::uintptr_t>(object) % alignof(T) == 0;
}

}  // namespace

static_assert(std::allocator_traits<small_block_allocator<int>>::is_always_equal::value);
static_assert(std::is_empty_v<small_block_allocator<int>>);
static_assert(
    std::is_same_v<std::allocator_traits<small_block_allocator<int>>::rebind_alloc<char>, small_block_allocator<char>>);

TEST(small_block_allocator, all_instances_are_equal) {
    const small_block_allocator<int> a;
    const small_block_allocator<int> b(small_block_allocator<char>{});
    EXPECT_TRUE(a == b);
}

TEST(small_block_allocator, small_requests_are_served_by_the_pool) {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    GTEST_SKIP() << "the blocks come from operator new under AddressSanitizer";
#endif
    small_block_allocator<long> allocator;
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, freehold::small_block_pool::largest / sizeof(long)}) {
        void* const pooled = freehold::small_block_pool::allocate(n * sizeof(long));
        freehold::small_block_pool::deallocate(pooled, n * sizeof(long));
        long* const memory = allocator.allocate(n);
        EXPECT_EQ(memory, pooled) << n;
        allocator.deallocate(memory, n);
    }
}

TEST(small_block_allocator, memory_of_every_size_can_be_written_and_freed) {
    small_block_allocator<char> allocator;
    for (std::size_t n = 0; n <= 600; ++n) {
        char* const memory = allocator.allocate(n);
        std::memset(memory, 7, n);
        allocator.deallocate(memory, n);
    }
}

TEST(small_block_allocator, over_aligned_types_are_aligned) {
    small_block_allocator<cache_line> allocator;
    for (std::size_t n = 1; n <= 10; ++n) {
        cache_line* const memory = allocator.allocate(n);
        EXPECT_TRUE(is_aligned(memory));
        std::memset(static_cast<void*>(memory), 7, n * sizeof(cache_line));
        allocator.deallocate(memory, n);
    }
}

TEST(small_block_allocator, a_size_that_is_not_representable_is_refused) {
    small_block_allocator<long> allocator;
    constexpr std::size_t greatest = std::numeric_limits<std::size_t>::max();
    EXPECT_THROW(static_cast<void>(allocator.allocate(greatest)), std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(allocator.allocate(greatest / sizeof(long) + 1)), std::bad_array_new_length);
}

TEST(small_block_allocator, containers_can_use_it) {
    std::list<int, small_block_allocator<int>> list;
    std::map<int, std::string, std::less<>, small_block_allocator<std::pair<const int, std::string>>> map;
    std::vector<int, small_block_allocator<int>> vector;
    for (int i = 0; i < 1000; ++i) {
        list.push_back(i);
        map[i] = std::to_string(i);
        vector.push_back(i);
    }
    EXPECT_EQ(list.back(), 999);
    EXPECT_EQ(map.at(999), "999");
    EXPECT_EQ(vector.back(), 999);
    const auto moved = std::move(vector);
    EXPECT_EQ(moved.size(), 1000U);
}
