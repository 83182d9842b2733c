// reader_domain: when a thread that defers releases pays for a fence. What is protected is tested in
// memory_model/shared_words.cpp.

#include <gtest/gtest.h>
#include <freehold/core/threading.hpp>
#include <freehold/pointers/detail/reader_domain.hpp>

#include <cstddef>
#include <cstdint>

namespace {

// One thread, as if there were others, at a time that stands still.
struct counted_fences : freehold::detail::process_threading {
    using record = freehold::detail::reader_record<counted_fences>;
    using ring = freehold::detail::deferred_releases;

    struct fence {
        void light() const noexcept {}
        void heavy() noexcept { ++fences; }
    };

    static constexpr std::size_t own_slots = 1;
    static constexpr std::size_t shared_slots = 1;
    static constexpr bool is_first_group_in_place = true;

    static std::uint32_t now() noexcept { return 0; }
    static bool is_alone() noexcept { return false; }
    static record* own() noexcept { return mine; }
    static void set_own(record* its) noexcept { mine = its; }
    static bool at_thread_end() noexcept { return true; }

    static inline int fences = 0;
    static inline record* mine = nullptr;
};

int released = 0;

constexpr freehold::detail::deferred_release nothing{16, [](std::uintptr_t) noexcept { ++released; }};

}  // namespace

TEST(reader_domain, large_values_are_released_soon_and_small_ones_after_them_not_each_with_a_fence) {
    freehold::detail::reader_domain<counted_fences> readers;
    readers.defer(nothing, std::size_t{4} << 20);
    EXPECT_EQ(released, 1);
    EXPECT_EQ(counted_fences::fences, 1);
    for (int i = 0; i < 50; ++i) readers.defer(nothing, 16);  // as many have room in a record
    EXPECT_EQ(released, 1);
    EXPECT_EQ(counted_fences::fences, 1);
    readers.leave();
    EXPECT_EQ(released, 51);
}
