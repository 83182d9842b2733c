// Idle ranges of pages against a model of them: one flag for each page. The pages are never touched.

#include <gtest/gtest.h>
#include <freehold/memory/detail/idle_pages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using freehold::detail::idle_pages;
using freehold::detail::page_granule;
using freehold::detail::page_range;

namespace {

constexpr std::size_t pages = 1000;

// Addresses that are not memory. Each page has one also with 32 bits, and pages of 64 KiB.
constexpr std::size_t first = 1024;

std::byte* page(std::size_t i) { return reinterpret_cast<std::byte*>((i + first) * page_granule); }

std::size_t index_of(const std::byte* begin) { return reinterpret_cast<std::uintptr_t>(begin) / page_granule - first; }

class model {
public:
    void add(page_range added) { mark(added, true); }
    void take(page_range taken) { mark(taken, false); }

    // Returns: whether there are so many idle pages in a row.
    [[nodiscard]] bool has(std::size_t count) const {
        std::size_t in_a_row = 0;
        for (const bool is_idle : idle_) {
            in_a_row = is_idle ? in_a_row + 1 : 0;
            if (in_a_row == count) return true;
        }
        return false;
    }

    [[nodiscard]] std::size_t bytes() const {
        return static_cast<std::size_t>(std::count(idle_.begin(), idle_.end(), true)) * page_granule;
    }

private:
    void mark(page_range range, bool is_idle) {
        for (std::size_t i = index_of(range.begin); i < index_of(range.begin) + range.bytes / page_granule; ++i) {
            ASSERT_NE(idle_.at(i), is_idle) << "page " << i;
            idle_[i] = is_idle;
        }
    }

    std::vector<bool> idle_ = std::vector<bool>(pages);
};

}  // namespace

TEST(idle_pages, a_request_is_rounded_up_by_less_than_a_page_or_a_sixteenth) {
    constexpr std::size_t largest = std::size_t{1} << (std::numeric_limits<std::size_t>::digits / 2 + 8);
    for (std::size_t bytes = 1; bytes < largest; bytes += bytes / 50 + 1) {
        const std::size_t rounded = idle_pages::rounded(bytes);
        EXPECT_GE(rounded, bytes);
        EXPECT_LE(rounded - bytes, std::max(page_granule - 1, bytes / 16));
        EXPECT_EQ(rounded % page_granule, 0U);
        EXPECT_EQ(idle_pages::rounded(rounded), rounded);
    }
}

TEST(idle_pages, they_are_those_of_the_model) {
    std::mt19937 random(7);
    idle_pages idle;
    model expected;
    std::vector<page_range> used{{page(0), pages * page_granule}};
    int misses = 0;
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 2 == 0 && !used.empty()) {  // frees a part of a used range, at its end
            const std::size_t chosen = random() % used.size();
            page_range& from = used[chosen];
            const std::size_t count = 1 + random() % std::min<std::size_t>(from.bytes / page_granule, 40);
            from.bytes -= count * page_granule;
            const page_range freed{from.begin + from.bytes, count * page_granule};
            if (from.bytes == 0) used.erase(used.begin() + static_cast<std::ptrdiff_t>(chosen));
            ASSERT_TRUE(idle.add(freed));
            expected.add(freed);
        } else if (random() % 10 == 0) {
            const page_range old = idle.take_oldest(page_granule * (1 + random() % 10));
            ASSERT_EQ(old.bytes == 0, expected.bytes() == 0);
            expected.take(old);
            if (old.bytes != 0) used.push_back(old);
        } else {
            const std::size_t bytes = idle_pages::rounded(page_granule * (1 + random() % 30));
            const std::size_t alignment = std::size_t{1} << random() % 5;
            std::byte* const taken = idle.take(bytes, alignment * page_granule);
            if (taken != nullptr) {
                ASSERT_EQ(reinterpret_cast<std::uintptr_t>(taken) % (alignment * page_granule), 0U);
                expected.take({taken, bytes});
                used.push_back({taken, bytes});
            } else {
                ++misses;
                if (alignment == 1) {
                    ASSERT_FALSE(expected.has(bytes / page_granule));
                }
            }
        }
        ASSERT_EQ(idle.bytes(), expected.bytes());
    }
    EXPECT_GT(misses, 100);
    while (idle.bytes() != 0) expected.take(idle.take_oldest(pages * page_granule));
    EXPECT_EQ(expected.bytes(), 0U);
    idle.give_back_records();
}

TEST(idle_pages, neighbors_merge_in_any_order) {
    idle_pages idle;
    std::vector<std::size_t> order(100);
    for (std::size_t i = 0; i < 100; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    for (const std::size_t i : order) ASSERT_TRUE(idle.add({page(i), page_granule}));
    const page_range whole = idle.take_oldest(pages * page_granule);
    EXPECT_EQ(whole.begin, page(0));
    EXPECT_EQ(whole.bytes, 100 * page_granule);
    EXPECT_EQ(idle.bytes(), 0U);
    idle.give_back_records();
}

TEST(idle_pages, more_ranges_than_one_mapping_of_records_has) {
    idle_pages idle;
    for (std::size_t i = 0; i < 5000; ++i) ASSERT_TRUE(idle.add({page(2 * i), page_granule}));
    for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(idle.take_oldest(page_granule).begin, page(2 * i));
    EXPECT_EQ(idle.take(page_granule, page_granule), nullptr);
    idle.give_back_records();
}
