#include <gtest/gtest.h>
#include <freehold/memory/small_block_pool.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <freehold/core/alignment.hpp>

#include "support/emulation.hpp"
#include "support/process_memory.hpp"
#include "support/sanitized.hpp"

using freehold::small_block_pool;

namespace {

constexpr std::size_t batch = 64;  // no fewer than are sent home at once; only the numbers of blocks below depend on it

// Returns: no fewer blocks than a slab has.
constexpr std::size_t blocks_in_slab(std::size_t bytes) { return freehold::detail::slab_bytes / bytes; }

std::vector<void*> allocate(std::size_t blocks, std::size_t bytes) {
    std::vector<void*> result(blocks);
    for (void*& block : result) block = small_block_pool::allocate(bytes);
    return result;
}

void deallocate(const std::vector<void*>& blocks, std::size_t bytes) {
    for (void* const block : blocks) small_block_pool::deallocate(block, bytes);
}

// Effects: expects that the memory of the blocks, which were freed, is served again: that as many blocks need none
// beyond it but that of the slabs that are begun, however often they are allocated and freed.
void expect_available(const std::vector<void*>& blocks, std::size_t bytes) {
    std::set<void*> seen(blocks.begin(), blocks.end());
    for (int round = 0; round < 20; ++round) {
        const std::vector<void*> taken = allocate(blocks.size(), bytes);
        seen.insert(taken.begin(), taken.end());
        deallocate(taken, bytes);
    }
    EXPECT_LE(seen.size(), 2 * (blocks.size() + blocks_in_slab(bytes)));
}

std::uintptr_t address(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }

// The live blocks, each filled with a byte of its own.
class model {
public:
    ~model() {
        while (!blocks_.empty()) deallocate(0);
    }

    [[nodiscard]] std::size_t size() const { return blocks_.size(); }

    void allocate(std::size_t bytes, unsigned char content) {
        void* const block = small_block_pool::allocate(bytes);
        ASSERT_EQ(address(block) % small_block_pool::alignment, 0U);
        const auto after = extents_.upper_bound(address(block));
        ASSERT_TRUE(after == extents_.end() || address(block) + bytes <= after->first) << "overlaps the next";
        ASSERT_TRUE(after == extents_.begin() || std::prev(after)->second <= address(block)) << "overlaps another";
        extents_[address(block)] = address(block) + bytes;
        std::memset(block, content, bytes);
        blocks_.push_back({static_cast<unsigned char*>(block), bytes, content});
    }

    void deallocate(std::size_t index) {
        std::swap(blocks_[index], blocks_.back());
        const auto [block, bytes, content] = blocks_.back();
        blocks_.pop_back();
        const unsigned char expected = content;
        EXPECT_TRUE(std::all_of(block, block + bytes, [&](unsigned char byte) { return byte == expected; }))
            << "overwritten: a block of " << bytes << " bytes";
        extents_.erase(address(block));
        small_block_pool::deallocate(block, bytes);
    }

private:
    struct filled_block {
        unsigned char* begin;
        std::size_t bytes;
        unsigned char content;
    };

    std::vector<filled_block> blocks_;
    std::map<std::uintptr_t, std::uintptr_t> extents_;
};

}  // namespace

TEST(small_block_pool, blocks_of_every_size_are_aligned) {
    for (std::size_t bytes = 1; bytes <= small_block_pool::largest; ++bytes) {
        void* const block = small_block_pool::allocate(bytes);
        EXPECT_EQ(address(block) % small_block_pool::alignment, 0U) << bytes;
        small_block_pool::deallocate(block, bytes);
    }
}

TEST(small_block_pool, all_bytes_of_a_block_can_be_written_without_harm_to_others) {
    model blocks;
    for (int round = 0; round < 3; ++round) {
        for (std::size_t bytes = 1; bytes <= small_block_pool::largest; ++bytes) {
            blocks.allocate(bytes, static_cast<unsigned char>(bytes));
        }
    }
}

TEST(small_block_pool, a_freed_block_is_the_next_of_its_class) {
    for (std::size_t length = 16; length <= small_block_pool::largest; length += 16) {
        for (std::size_t bytes = length - 15; bytes <= length; ++bytes) {
            void* const block = small_block_pool::allocate(length);
            small_block_pool::deallocate(block, length);
            void* const again = small_block_pool::allocate(bytes);
            EXPECT_EQ(again, block) << bytes << " bytes after " << length;
            small_block_pool::deallocate(again, bytes);
        }
    }
}

TEST(small_block_pool, a_freed_block_does_not_serve_a_larger_class) {
    for (std::size_t length = 16; length < small_block_pool::largest; length += 16) {
        void* const block = small_block_pool::allocate(length);
        small_block_pool::deallocate(block, length);
        void* const larger = small_block_pool::allocate(length + 1);
        EXPECT_NE(larger, block) << length;
        small_block_pool::deallocate(larger, length + 1);
    }
}

TEST(small_block_pool, blocks_have_no_header_between_them) {
    for (std::size_t bytes = 1; bytes <= small_block_pool::largest; ++bytes) {
        std::vector<void*> blocks = allocate(4 * batch, bytes);
        std::ranges::sort(blocks);
        std::size_t least_distance = SIZE_MAX;
        for (std::size_t i = 1; i < blocks.size(); ++i) {
            least_distance = std::min(least_distance, address(blocks[i]) - address(blocks[i - 1]));
        }
        EXPECT_EQ(least_distance, freehold::detail::round_up(bytes, small_block_pool::alignment));
        deallocate(blocks, bytes);
    }
}

TEST(small_block_pool, no_block_is_handed_out_twice_nor_lost_in_random_use) {
    std::mt19937 random(20000131);
    model blocks;
    for (int step = 0; step < 200000; ++step) {
        // Grows and shrinks in turn, so that lists run empty and long.
        const bool growing = step / 10000 % 2 == 0;
        if (blocks.size() == 0 || random() % 10 < (growing ? 6U : 4U)) {
            ASSERT_NO_FATAL_FAILURE(
                blocks.allocate(random() % small_block_pool::largest + 1, static_cast<unsigned char>(random())));
        } else {
            blocks.deallocate(random() % blocks.size());
        }
    }
}

TEST(small_block_pool, blocks_of_several_slabs_come_back) {
    constexpr std::size_t bytes = 176;
    const std::vector<void*> blocks = allocate(20 * batch, bytes);
    deallocate(blocks, bytes);
    expect_available(blocks, bytes);
}

// One of 64 MiB in each MiB.
struct survivors_in_small_block_pool : testing::Test {
    void SetUp() override {
        if (support::sanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
        if (support::is_emulated()) GTEST_SKIP() << "an emulator has memory of its own";
        std::vector<void*> blocks(64 * mebibyte / bytes);
        before = support::resident_bytes();
        for (void*& block : blocks) block = std::memset(small_block_pool::allocate(bytes), 1, bytes);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (i % (mebibyte / bytes) != 0) {
                small_block_pool::deallocate(blocks[i], bytes);
            } else {
                survivors.push_back(blocks[i]);
            }
        }
    }

    void TearDown() override {
        for (void* const block : survivors) EXPECT_EQ(*static_cast<char*>(block), 1);
        deallocate(survivors, bytes);
    }

    static constexpr std::size_t mebibyte = std::size_t{1} << 20;
    static constexpr std::size_t bytes = 256;
    std::size_t before = 0;
    std::vector<void*> survivors;
};

// What was not needed for a second goes back while slabs come and go.
TEST_F(survivors_in_small_block_pool, hold_no_more_than_their_slabs) {
    const std::size_t most = before + 64 * 65'536 + 4 * mebibyte;
    for (int i = 0; i < 500 && support::resident_bytes() > most; ++i) {
        deallocate(allocate(mebibyte / 128, 128), 128);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_LE(support::resident_bytes(), most);
}

TEST_F(survivors_in_small_block_pool, hold_a_few_pages_after_trim) {
    using namespace freehold::detail;
    if (page_granule != smallest_page) GTEST_SKIP() << "pages may have 64 KiB: only whole slabs go back";
    small_block_pool::trim();
    EXPECT_LE(support::resident_bytes(), before + 64 * 12'288 + mebibyte);
}

TEST(small_block_pool, an_exited_thread_leaves_all_its_blocks_to_others) {
    constexpr std::size_t bytes = 192;
    for (const std::size_t blocks : {std::size_t{1}, std::size_t{2}, batch, batch + 1, 10 * batch + 7}) {
        std::vector<void*> left;
        std::thread([&] {
            left = allocate(blocks, bytes);
            deallocate(left, bytes);
        }).join();
        expect_available(left, bytes);
    }
}

TEST(small_block_pool, threads_that_come_and_go_need_no_more_memory_than_one) {
    constexpr std::size_t bytes = 208;
    std::set<void*> ever_seen;
    for (int i = 0; i < 50; ++i) {
        std::thread([&] {
            const std::vector<void*> blocks = allocate(5 * batch, bytes);
            ever_seen.insert(blocks.begin(), blocks.end());
            deallocate(blocks, bytes);
        }).join();
    }
    EXPECT_LE(ever_seen.size(), 2 * blocks_in_slab(bytes));
}

TEST(small_block_pool, blocks_freed_by_a_thread_that_never_allocates_reach_the_others) {
    constexpr std::size_t bytes = 224;
    const std::vector<void*> blocks = allocate(10 * batch, bytes);
    std::thread([&] { deallocate(blocks, bytes); }).join();
    expect_available(blocks, bytes);
}

// A pipeline: one thread allocates, another only frees, and must send the blocks home.
TEST(small_block_pool, a_thread_that_only_frees_hoards_no_more_than_a_few_batches) {
    constexpr std::size_t bytes = 240;
    std::set<void*> ever_seen;
    std::vector<void*> blocks;
    for (int round = 0; round < 20; ++round) {
        blocks = allocate(8 * batch, bytes);
        ever_seen.insert(blocks.begin(), blocks.end());
        std::thread([&] { deallocate(blocks, bytes); }).join();
    }
    EXPECT_LE(ever_seen.size(), 16 * batch);
}
