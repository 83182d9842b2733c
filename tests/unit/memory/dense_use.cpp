#include <freehold/memory/detail/dense_use.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

using freehold::detail::dense_use;
using freehold::detail::give_back_pages;
using freehold::detail::huge_page;
using freehold::detail::page_granule;
using freehold::detail::page_range;
using freehold::detail::take_pages;

namespace {

// Takes fresh memory as a program does, in pages that a dense_use expects to be dense or not.
class fresh_memory {
public:
    fresh_memory() = default;
    fresh_memory(const fresh_memory&) = delete;
    fresh_memory& operator=(const fresh_memory&) = delete;
    ~fresh_memory() {
        for (const page_range each : taken_) give_back_pages(each.begin, each.bytes);
    }

    // Returns: whether the pages, of which the first `used` bytes are written to, were expected to be dense.
    bool take(std::size_t bytes, std::size_t used) {
        const page_range added{static_cast<std::byte*>(take_pages(bytes, huge_page)), bytes};
        taken_.push_back(added);
        const bool is_expected = use.expects(bytes);
        if (!is_expected) use.watch(added);
        std::memset(added.begin, 1, used);
        return is_expected;
    }

    // Returns: how many of `count` such pages were expected to be dense.
    int take_some(int count, std::size_t bytes, std::size_t used) {
        int expected = 0;
        for (int i = 0; i < count; ++i) expected += take(bytes, used) ? 1 : 0;
        return expected;
    }

    [[nodiscard]] page_range last() const { return taken_.back(); }

    dense_use use;

private:
    std::vector<page_range> taken_;
};

constexpr std::size_t large = 2 * huge_page;

}  // namespace

TEST(dense_use, is_expected_once_it_was_seen) {
    fresh_memory memory;
    EXPECT_FALSE(memory.take(large, large));
    EXPECT_TRUE(memory.take(large, large));
}

TEST(dense_use, half_of_the_memory_keeps_small_pages) {
    fresh_memory memory;
    const int expected = memory.take_some(17, large, large);
    EXPECT_GE(expected, 7);
    EXPECT_LE(expected, 9);
}

TEST(dense_use, is_not_expected_of_what_is_used_in_part) {
    for (const std::size_t used : {std::size_t{0}, page_granule, large / 2}) {
        fresh_memory memory;
        EXPECT_EQ(memory.take_some(8, large, used), 0) << used;
    }
}

TEST(dense_use, one_page_of_each_block_is_sparse_use_whatever_their_size) {
    for (std::size_t block = 4 * page_granule; block <= large / 2; block *= 2) {
        fresh_memory memory;
        for (int i = 0; i < 4; ++i) {
            EXPECT_FALSE(memory.take(large, 0)) << block;
            for (std::size_t at = 0; at < large; at += block) memory.last().begin[at] = std::byte{1};
        }
    }
}

TEST(dense_use, sparse_use_is_noticed_soon) {
    fresh_memory memory;
    EXPECT_GT(memory.take_some(20, large, large), 0);
    EXPECT_LE(memory.take_some(20, large, page_granule), 3);
}

TEST(dense_use, after_sparse_use_much_is_to_be_dense) {
    fresh_memory memory;
    memory.take(large, page_granule);
    EXPECT_EQ(memory.take_some(8, large, large), 0);
    EXPECT_GT(memory.take_some(4, large, large), 0);
}

// As an object and its index.
TEST(dense_use, no_pattern_of_dense_and_sparse_use_goes_unnoticed) {
    for (int period = 2; period < 5; ++period) {
        for (int sparse = 0; sparse < period; ++sparse) {
            fresh_memory memory;
            int expected = 0;
            for (int i = 0; i < 30; ++i) {
                const bool is_sparse = i % period == sparse;
                const bool is_expected = memory.take(huge_page, is_sparse ? page_granule : huge_page);
                if (is_sparse && is_expected) ++expected;
            }
            EXPECT_LE(expected, 5) << sparse << " of " << period;
        }
    }
}

TEST(dense_use, is_expected_of_no_more_than_twice_what_was_seen) {
    fresh_memory memory;
    memory.take(large, large);
    EXPECT_FALSE(memory.take(large * 4, page_granule));
}

TEST(dense_use, a_block_that_doubles_is_expected_to_be_dense) {
    fresh_memory memory;
    int expected = 0;
    for (std::size_t bytes = huge_page; bytes <= 16 * huge_page; bytes *= 2) expected += memory.take(bytes, bytes);
    EXPECT_GT(expected, 0);
}

TEST(dense_use, nothing_is_learned_from_bytes_that_nobody_had) {
    fresh_memory memory;
    memory.take(large, large * 3 / 4);
    memory.use.leave_out(large / 4);
    EXPECT_TRUE(memory.take(large, large));
}

TEST(dense_use, memory_that_has_gone_back_taught_it_before) {
    fresh_memory memory;
    memory.take(large, large);
    memory.use.learn_from(memory.last().begin + page_granule);  // other memory
    memory.use.learn_from(memory.last().begin);
    freehold::detail::discard_pages(memory.last().begin, large);
    EXPECT_TRUE(memory.take(large, large));
}
