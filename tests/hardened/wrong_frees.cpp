// What a hardened program says of wrong frees and of free memory that was written to, with and without NDEBUG.

#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/page_cache.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/region_resource.hpp>
#include <freehold/memory/run_length_resource.hpp>
#include <freehold/memory/small_block_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "support/contract.hpp"

namespace {

struct small_blocks {
    static constexpr const char* name = "small_block_pool";
    static void* allocate(std::size_t bytes) { return freehold::small_block_pool::allocate(bytes); }
    static void deallocate(void* block, std::size_t bytes) { freehold::small_block_pool::deallocate(block, bytes); }
};

template <class T>
class hardened_pool : public testing::Test {
protected:
    void free(void* block, std::size_t bytes = 40) { resource.deallocate(block, bytes); }

    std::vector<void*> blocks(std::size_t count) {
        std::vector<void*> made;
        for (std::size_t i = 0; i < count; ++i) made.push_back(resource.allocate(40));
        return made;
    }

    T resource;
};

using with_states = testing::Types<small_blocks, freehold::concurrent_pool_resource, freehold::pool_resource>;
TYPED_TEST_SUITE(hardened_pool, with_states);

template <class T>
class hardened_resource : public hardened_pool<T> {};

using all = testing::Types<small_blocks, freehold::concurrent_pool_resource, freehold::pool_resource,
                           freehold::run_length_resource, freehold::region_resource>;
TYPED_TEST_SUITE(hardened_resource, all);

constexpr const char* twice = "freed twice";

}  // namespace

TYPED_TEST(hardened_resource, a_block_is_not_freed_twice) {
    const auto made = this->blocks(8);
    this->free(made[3]);
    EXPECT_DEATH(this->free(made[3]), twice);
}

TYPED_TEST(hardened_resource, a_block_is_not_freed_again_after_others) {
    const auto made = this->blocks(8);
    for (const std::size_t each : {3U, 5U, 1U}) this->free(made[each]);
    EXPECT_DEATH(this->free(made[3]), twice);
}

TYPED_TEST(hardened_resource, a_block_is_freed_with_its_size) {
    const auto made = this->blocks(8);
    EXPECT_DEATH(this->free(made[3], 80), "freed with another size");
}

TYPED_TEST(hardened_pool, a_block_is_freed_at_its_beginning) {
    const auto made = this->blocks(8);
    EXPECT_DEATH(this->free(static_cast<char*>(made[3]) + 16), "not the beginning of a block");
    EXPECT_DEATH(this->free(static_cast<char*>(made[3]) + 1), "not the beginning of a block");
}

// The state of that place is the byte before the first block of the slab.
TYPED_TEST(hardened_pool, the_last_place_of_a_slab_is_no_block) {
    void* const block = this->resource.allocate(200);
    const auto slab = reinterpret_cast<std::uintptr_t>(block) & ~std::uintptr_t{65535};
    for (const std::uintptr_t places : {8U, 16U}) {
        auto* const last = reinterpret_cast<void*>(slab + 65536 - places);
        EXPECT_DEATH(this->free(last, 200), "not the beginning of a block");
    }
    this->free(block, 200);
}

TYPED_TEST(hardened_pool, a_block_is_not_freed_again_after_its_neighbors_were_reused) {
    auto made = this->blocks(64);
    for (void* const each : made) this->free(each);
    const auto again = this->blocks(32);
    for (void* const each : again) std::erase(made, each);
    ASSERT_EQ(made.size(), 32U) << "the others are reused";
    for (void* const each : made) EXPECT_DEATH(this->free(each), twice);
}

TYPED_TEST(hardened_pool, a_link_that_was_overwritten_is_not_followed) {
    for (const int value : {0, 1, 0x41, 0xff}) {
        const auto overwrite_and_allocate = [&] {
            const auto made = this->blocks(8);
            for (void* const each : made) this->free(each);
            std::memset(made[3], value, 8);
            static_cast<void>(this->blocks(8));
        };
        EXPECT_DEATH(overwrite_and_allocate(), "a free block was written to") << value;
    }
}

TYPED_TEST(hardened_pool, a_forged_link_to_a_block_in_use_is_not_followed) {
    const auto forge = [&] {
        const auto made = this->blocks(2);
        this->free(made[0]);
        auto* const target = static_cast<freehold::detail::free_block*>(made[1]);
        ::new (made[0]) freehold::detail::free_block{{target, made[0]}};
        static_cast<void>(this->blocks(3));
    };
    EXPECT_DEATH(forge(), "leads to what is no free block");
}

TEST(hardened, another_thread_finds_a_block_that_is_free) {
    freehold::concurrent_pool_resource resource;
    void* const block = resource.allocate(40);
    std::thread([&] { resource.deallocate(block, 40); }).join();
    EXPECT_DEATH(resource.deallocate(block, 40), twice);
    EXPECT_DEATH(std::thread([&] { resource.deallocate(block, 40); }).join(), twice);
}

TEST(hardened, a_large_block_is_freed_once_and_with_its_size) {
    freehold::concurrent_pool_resource resource;
    void* const block = resource.allocate(100'000);
    EXPECT_DEATH(resource.deallocate(block, 100'001), "freed with another size");
    resource.deallocate(block, 100'000);
    EXPECT_DEATH(resource.deallocate(block, 100'000), "another size");
}

TEST(hardened, blocks_come_in_another_order_from_each_page) {
    freehold::concurrent_pool_resource resource;
    const auto differences = [&] {
        std::vector<std::ptrdiff_t> found;
        const char* last = nullptr;
        for (int i = 0; i < 64; ++i) {
            const auto* const block = static_cast<const char*>(resource.allocate(1024 / 16));
            if (last != nullptr) found.push_back(block - last);
            last = block;
        }
        return found;
    };
    const auto first = differences();
    EXPECT_NE(first, differences());
    EXPECT_NE(first, std::vector<std::ptrdiff_t>(first.size(), 64)) << "not that of addresses";
}
