// What a hardened program says of a block that was written to behind its end, or after it was freed.

#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/detail/process_heap.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/small_block_pool.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using freehold::detail::process_heap;

namespace {

struct small_blocks {
    static constexpr std::size_t largest_of_all = freehold::small_block_pool::largest;
    static char* allocate(std::size_t bytes) { return static_cast<char*>(freehold::small_block_pool::allocate(bytes)); }
    static void free(char* block, std::size_t bytes) { freehold::small_block_pool::deallocate(block, bytes); }
    template <class Visit>
    static void walk(Visit visit) {
        freehold::small_block_pool::walk(visit);
    }
};

struct blocks_of_malloc {
    static constexpr std::size_t largest_of_all = 300000;
    static char* allocate(std::size_t bytes) { return static_cast<char*>(process_heap::allocate(bytes)); }
    static void free(char* block, std::size_t /*bytes*/) { process_heap::deallocate(block); }
    template <class Visit>
    static void walk(Visit visit) {
        freehold::small_block_pool::walk(visit);
    }
};

template <class Resource>
struct of_resource {
    static constexpr std::size_t largest_of_all = 300000;
    char* allocate(std::size_t bytes) { return static_cast<char*>(resource.allocate(bytes)); }
    void free(char* block, std::size_t bytes) { resource.deallocate(block, bytes); }
    template <class Visit>
    void walk(Visit visit) {
        resource.walk(visit);
    }

    Resource resource;
};

template <class T>
class hardened_blocks : public testing::Test {
protected:
    static std::vector<std::size_t> sizes() {
        std::vector<std::size_t> found;
        for (const std::size_t each : {1U,   8U,   15U,  16U,  17U,   24U,   40U,   104U,  111U,  112U,   255U,
                                       256U, 511U, 512U, 600U, 1024U, 5000U, 7167U, 7168U, 8192U, 65536U, 300000U}) {
            if (each <= T::largest_of_all) found.push_back(each);
        }
        return found;
    }

    T pool;
};

using pools = testing::Types<small_blocks, blocks_of_malloc, of_resource<freehold::concurrent_pool_resource>,
                             of_resource<freehold::pool_resource>>;
TYPED_TEST_SUITE(hardened_blocks, pools);

std::string past_the_end(std::size_t bytes) { return "past the end of " + std::to_string(bytes) + " bytes"; }

}  // namespace

TYPED_TEST(hardened_blocks, a_byte_behind_the_end_is_found_at_the_free) {
    for (const std::size_t bytes : this->sizes()) {
        char* const block = this->pool.allocate(bytes);
        std::memset(block, 1, bytes);
        for (const char value : {'\0', 'A', '\xff'}) {
            const auto overrun = [&] {
                block[bytes] = value;
                this->pool.free(block, bytes);
            };
            EXPECT_DEATH(overrun(), "written to beyond its bounds: byte 1 " + past_the_end(bytes));
        }
        this->pool.free(block, bytes);
    }
}

TYPED_TEST(hardened_blocks, several_bytes_behind_the_end_are_found_at_the_free) {
    for (const std::size_t bytes : this->sizes()) {
        char* const block = this->pool.allocate(bytes);
        for (const std::size_t length : {8U, 32U}) {
            const auto overrun = [&] {
                std::memset(block + bytes, 'A', length);
                this->pool.free(block, bytes);
            };
            EXPECT_DEATH(overrun(), past_the_end(bytes));
        }
        this->pool.free(block, bytes);
    }
}

TYPED_TEST(hardened_blocks, a_byte_before_the_begin_is_found_at_the_free) {
    for (const std::size_t bytes : {std::size_t{20}, std::size_t{104}, std::size_t{1000}}) {
        if (bytes > TypeParam::largest_of_all) continue;
        // Of all blocks of two slabs, as they come in any order: one is the first of its slab. The block before another
        // one is free, or in use, or fresh.
        std::vector<char*> blocks;
        for (std::size_t i = 0; i < 200'000 / bytes; ++i) blocks.push_back(this->pool.allocate(bytes));
        char* const last = blocks.back();
        std::sort(blocks.begin(), blocks.end());
        const auto offset_in_slab = [](const char* block) { return reinterpret_cast<std::uintptr_t>(block) % 65536; };
        char* const first = *std::min_element(blocks.begin(), blocks.end(), [&](const char* one, const char* other) {
            return offset_in_slab(one) < offset_in_slab(other);
        });
        this->pool.free(blocks[4], bytes);
        for (char* const block : {first, blocks[5], blocks[10], last}) {
            for (const char value : {'\0', 'A', '\xff'}) {
                const bool may_be_0 = block != first && reinterpret_cast<std::uintptr_t>(block) % 4096 == 0;
                // As many deaths in every run: the process that dies finds its own by number, and other addresses.
                const auto underrun = [&] {
                    block[-1] = value == '\0' && may_be_0 ? 'A' : value;
                    this->pool.free(block, bytes);
                };
                EXPECT_DEATH(underrun(), "byte 1 before the begin of " + std::to_string(bytes) + " bytes");
            }
        }
        blocks.erase(blocks.begin() + 4);
        for (char* const each : blocks) this->pool.free(each, bytes);
    }
}

// A free of a block compares only what all fillings of the byte before it have in common.
TYPED_TEST(hardened_blocks, any_byte_before_the_begin_is_found_when_the_block_there_is_freed) {
    constexpr std::size_t bytes = 104;
    const auto underrun = [&] {
        std::vector<char*> blocks;
        for (int i = 0; i < 64; ++i) blocks.push_back(this->pool.allocate(bytes));
        blocks[31][-1] ^= 2;
        for (char* const each : blocks) this->pool.free(each, bytes);
        for (char*& each : blocks) each = this->pool.allocate(bytes);
    };
    EXPECT_DEATH(underrun(), past_the_end(bytes) + "|a free block was written to");
}

// What they name on their way home is not written into their last bytes, which are looked at.
TYPED_TEST(hardened_blocks, a_block_is_freed_beside_those_that_another_thread_has_freed) {
    if constexpr (!std::is_same_v<TypeParam, of_resource<freehold::pool_resource>>) {
        for (const std::size_t bytes : {std::size_t{15}, std::size_t{31}, std::size_t{63}}) {
            std::vector<char*> blocks;
            for (int i = 0; i < 4000; ++i) blocks.push_back(this->pool.allocate(bytes));
            std::thread([&] {
                for (std::size_t i = 0; i < blocks.size(); i += 2) this->pool.free(blocks[i], bytes);
            }).join();
            for (std::size_t i = 1; i < blocks.size(); i += 2) this->pool.free(blocks[i], bytes);
        }
    }
}

TYPED_TEST(hardened_blocks, a_walk_finds_overruns) {
    for (const std::size_t bytes : {std::size_t{104}, TypeParam::largest_of_all}) {
        char* const block = this->pool.allocate(bytes);
        const auto walk = [&] { this->pool.walk([](void*, std::size_t) {}); };
        walk();
        const auto overrun = [&] {
            block[bytes] = 0;
            walk();
        };
        EXPECT_DEATH(overrun(), past_the_end(bytes));
        this->pool.free(block, bytes);
        walk();
    }
}

TYPED_TEST(hardened_blocks, a_write_to_a_free_block_is_found_when_it_is_used_again) {
    for (const std::size_t bytes : {16U, 20U, 24U, 104U, 120U}) {
        for (const std::size_t at : {std::size_t{0}, std::size_t{8}, bytes / 2, bytes - 1}) {
            const auto write = [&] {
                char* const block = this->pool.allocate(bytes);
                std::memset(block, 1, bytes);
                this->pool.free(block, bytes);
                block[at] ^= 0x41;
                for (int i = 0; i < 300; ++i) static_cast<void>(this->pool.allocate(bytes));
            };
            EXPECT_DEATH(write(), "a free block was written to") << bytes << ": " << at;
        }
    }
}

TYPED_TEST(hardened_blocks, a_write_to_a_larger_free_block_is_found_when_it_is_used_again) {
    for (const std::size_t bytes : {200U, 250U, 500U, 1000U, 5000U}) {
        if (bytes > TypeParam::largest_of_all) continue;
        for (const std::size_t at :
             {std::size_t{0}, std::size_t{15}, std::size_t{40}, std::size_t{150}, bytes * 9 / 10, bytes - 1}) {
            if (at >= 1024) continue;
            const auto write = [&] {
                char* const block = this->pool.allocate(bytes);
                std::memset(block, 1, bytes);
                this->pool.free(block, bytes);
                block[at] ^= 0x41;
                for (int i = 0; i < 300; ++i) static_cast<void>(this->pool.allocate(bytes));
            };
            EXPECT_DEATH(write(), "a free block was written to" + (at < 8 ? "" : ": byte " + std::to_string(at)))
                << bytes;
        }
    }
}

// On its way home the first of several blocks names the others: that is written into it, and nothing else.
TYPED_TEST(hardened_blocks, a_write_to_a_block_that_another_thread_has_freed_is_found_when_it_is_used_again) {
    if constexpr (!std::is_same_v<TypeParam, of_resource<freehold::pool_resource>>) {
        for (const std::size_t bytes : {15U, 100U, 1000U}) {
            if (bytes > TypeParam::largest_of_all) continue;
            for (const std::size_t freed : {std::size_t{1}, std::size_t{30}}) {
                for (const std::size_t at : {std::size_t{8}, std::max(std::size_t{8}, bytes / 2), bytes - 1}) {
                    const auto write = [&] {
                        std::vector<char*> blocks;
                        for (std::size_t i = 0; i < 40; ++i) {
                            blocks.push_back(this->pool.allocate(bytes));
                            std::memset(blocks.back(), 1, bytes);
                        }
                        std::thread([&] {
                            for (std::size_t i = 0; i < freed; ++i) this->pool.free(blocks[i], bytes);
                        }).join();
                        blocks[freed / 2][at] ^= 0x41;
                        for (int i = 0; i < 10'000; ++i) static_cast<void>(this->pool.allocate(bytes));
                    };
                    EXPECT_DEATH(write(), "a free block was written to: [a-z]+ .* at 0x") << bytes << ": " << at;
                }
            }
        }
    }
}

// A thread that frees many blocks unused does not fill them any more, but those that it uses.
TYPED_TEST(hardened_blocks, a_used_block_is_filled_also_after_many_unused_ones) {
    for (const std::size_t bytes : {std::size_t{40}, std::size_t{100}, std::size_t{250}}) {
        const auto write_after = [&](int unused, bool is_used) {
            const auto use = [&](char* block) { return static_cast<char*>(std::memset(block, 1, bytes)); };
            for (int i = 0; i < 3000; ++i) this->pool.free(use(this->pool.allocate(bytes)), bytes);
            for (int i = 0; i < unused; ++i) this->pool.free(this->pool.allocate(bytes), bytes);
            char* const block = this->pool.allocate(bytes);
            if (is_used) use(block);
            this->pool.free(block, bytes);
            block[30] ^= 0x41;
            static_cast<void>(this->pool.allocate(bytes));
        };
        EXPECT_DEATH(write_after(1500, true), "a free block was written to: byte 30") << bytes;
        EXPECT_DEATH(write_after(500, false), "a free block was written to: byte 30") << bytes;
        write_after(1500, false);
    }
}

// The filling of a block that was freed unused may be an older one, which the next request shortens.
TYPED_TEST(hardened_blocks, an_overrun_is_found_also_after_many_unused_blocks) {
    for (int i = 0; i < 3000; ++i) {
        for (const std::size_t bytes : this->sizes()) {
            if (bytes <= 1024) this->pool.free(this->pool.allocate(bytes), bytes);
        }
    }
    for (const std::size_t bytes : this->sizes()) {
        if (bytes > 1024) continue;
        for (const std::size_t fewer : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
            if (fewer >= bytes) continue;
            char* block = this->pool.allocate(bytes);
            block[0] = 1;
            block[bytes - 1] = 1;
            this->pool.free(block, bytes);
            block = this->pool.allocate(bytes - fewer);
            const auto overrun = [&] {
                block[bytes - fewer] ^= 0x41;
                this->pool.free(block, bytes - fewer);
            };
            EXPECT_DEATH(overrun(), past_the_end(bytes - fewer));
            this->pool.free(block, bytes - fewer);
        }
    }
}

TEST(hardened_malloc, what_may_be_used_is_what_was_asked_for) {
    for (const std::size_t bytes : {0U, 1U, 15U, 16U, 100U, 512U, 513U, 5000U, 7167U, 7168U, 8176U, 8177U, 300000U}) {
        void* const block = process_heap::allocate(bytes);
        EXPECT_EQ(process_heap::usable_bytes(block), bytes);
        process_heap::deallocate(block);
    }
    for (std::size_t alignment = 32; alignment <= 65536; alignment *= 2) {
        void* const block = process_heap::allocate(1, alignment);
        EXPECT_EQ(process_heap::usable_bytes(block), 1U) << alignment;
        process_heap::deallocate(block);
    }
}

TEST(hardened_malloc, a_block_that_is_resized_has_its_end_elsewhere) {
    for (const std::size_t after : {60U, 90U, 110U, 300U}) {
        auto* const block = static_cast<char*>(process_heap::allocate(100));
        std::memset(block, 7, 100);
        auto* const resized = static_cast<char*>(process_heap::reallocate(block, after));
        EXPECT_EQ(process_heap::usable_bytes(resized), after);
        EXPECT_EQ(resized[59], 7);
        const auto overrun = [&] {
            resized[after] = 0;
            process_heap::deallocate(resized);
        };
        EXPECT_DEATH(overrun(), past_the_end(after));
        process_heap::deallocate(resized);
    }
}

TEST(hardened_malloc, an_overrun_is_found_when_the_block_is_resized) {
    auto* const block = static_cast<char*>(process_heap::allocate(100));
    for (const std::size_t after : {60U, 101U, 1000U}) {
        const auto overrun = [&] {
            block[100] = 0;
            static_cast<void>(process_heap::reallocate(block, after));
        };
        EXPECT_DEATH(overrun(), past_the_end(100));
    }
    process_heap::deallocate(block);
}

// What is noted of the last block of a slab is not the byte before the first one.
TEST(hardened_malloc, blocks_of_which_no_byte_was_asked_for_are_freed) {
    for (const std::size_t alignment : {std::size_t{16}, std::size_t{32}, std::size_t{64}, std::size_t{128}}) {
        std::vector<void*> blocks;
        for (int i = 0; i < 8000; ++i) blocks.push_back(process_heap::allocate(0, alignment));
        for (void* const each : blocks) process_heap::deallocate(each);
    }
}

// The byte before it is 0 then.
TEST(hardened_malloc, a_block_behind_a_page_that_was_given_back_is_freed) {
    constexpr std::size_t bytes = 255;  // a page is blocks
    std::vector<char*> blocks;
    for (int i = 0; i < 4000; ++i) blocks.push_back(static_cast<char*>(process_heap::allocate(bytes)));
    const auto stays = [](const char* block) { return reinterpret_cast<std::uintptr_t>(block) / 4096 % 2 == 0; };
    const auto rest = std::partition(blocks.begin(), blocks.end(), stays);
    for (auto each = rest; each != blocks.end(); ++each) process_heap::deallocate(*each);
    blocks.erase(rest, blocks.end());
    process_heap::trim();
    // Not all: another test may use a block of such a page.
    EXPECT_TRUE(std::any_of(blocks.begin(), blocks.end(), [](const char* block) {
        return reinterpret_cast<std::uintptr_t>(block) % 4096 == 0 && block[-1] == 0;
    }));
    for (char* const each : blocks) process_heap::deallocate(each);
}

TEST(hardened_malloc, the_end_of_the_pages_of_a_large_block_is_looked_at) {
    auto* const block = static_cast<char*>(process_heap::allocate(300000));
    const std::size_t room = freehold::detail::process_large::bytes_of(block);
    ASSERT_GE(room, 300016U);
    const auto overrun = [&] {
        block[room - 1] ^= 1;
        process_heap::deallocate(block);
    };
    EXPECT_DEATH(overrun(), past_the_end(room - 16));
    process_heap::deallocate(block);
}

TEST(hardened_malloc, a_large_block_that_is_resized_has_its_end_elsewhere) {
    const auto expect_end = [](std::size_t before, std::size_t after) {
        auto* const block = static_cast<char*>(process_heap::allocate(before));
        const auto overrun_before = [&] {
            block[before] = 0;
            static_cast<void>(process_heap::reallocate(block, after));
        };
        EXPECT_DEATH(overrun_before(), past_the_end(before));
        auto* const resized = static_cast<char*>(process_heap::reallocate(block, after));
        EXPECT_EQ(process_heap::usable_bytes(resized), after);
        const auto overrun = [&] {
            resized[after] = 0;
            process_heap::deallocate(resized);
        };
        EXPECT_DEATH(overrun(), past_the_end(after));
        process_heap::deallocate(resized);
    };
    for (const std::size_t after : {90000U, 100001U, 150000U, 300000U, 20000U, 100U}) expect_end(100000, after);
    for (const std::size_t after : {390000U, 409600U, 450000U, 3000000U}) expect_end(400000, after);
}

// So many that the size of the first is not known without a lock any more.
TEST(hardened_malloc, a_large_block_is_not_freed_again_after_many_others) {
    const auto free_twice = [] {
        void* const block = process_heap::allocate(20'000);
        process_heap::deallocate(block);
        for (int i = 0; i < 16'000; ++i) static_cast<void>(process_heap::allocate(8'000));
        process_heap::deallocate(block);
    };
    EXPECT_DEATH(free_twice(), "a block is freed twice");
}

TEST(hardened_resources, an_overrun_is_found_when_all_is_released) {
    freehold::pool_resource pool;
    auto* const block = static_cast<char*>(pool.allocate(10000));
    const auto overrun = [&] {
        block[10000] = 0;
        pool.release();
    };
    EXPECT_DEATH(overrun(), past_the_end(10000));
}

TEST(hardened_objects, an_overrun_of_an_array_is_found) {
    auto array = freehold::make_shared<char[]>(32);
    const auto overrun = [&] {
        array.get()[32] = 0;
        array = nullptr;
    };
    EXPECT_DEATH(overrun(), "written to beyond its bounds: byte 1 past the end");
}
