// reader_domain: when a thread that defers releases pays for a fence. What is protected is tested in
// memory_model/shared_words.cpp.

#include <gtest/gtest.h>
#include <freehold/core/threading.hpp>
#include <freehold/pointers/detail/reader_domain.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace {

// Fences are counted, and a thread that sleeps lets others work.
struct counted_fences : freehold::detail::process_threading {
    struct fence {
        void light() const noexcept {}
        void heavy() noexcept { ++fences; }
    };

    static constexpr int spins = 0;

    // What other threads do while this one sleeps.
    static void sleep_while(const std::atomic<std::uint32_t>&, std::uint32_t) { std::exchange(meanwhile, {})(); }

    static inline int fences = 0;
    static inline std::function<void()> meanwhile;
};

// One thread, as if there were others, at a time that stands still.
struct of_one_thread : freehold::detail::process_records {
    using record = freehold::detail::reader_record<counted_fences, of_one_thread>;
    using ring = freehold::detail::deferred_releases<of_one_thread>;

    static constexpr std::size_t own_slots = 1;
    static constexpr std::size_t shared_slots = 1;
    static constexpr bool is_first_group_in_place = true;

    static std::uint32_t now() noexcept { return 0; }
    static bool is_alone() noexcept { return false; }
    static record* own() noexcept { return mine; }
    static void set_own(record* its) noexcept { mine = its; }
    static bool at_thread_end() noexcept { return true; }

    static inline bool has_memory = true;
    static inline std::size_t allocated = 0;  // bytes

    [[nodiscard]] static void* allocate(std::size_t bytes) noexcept {
        if (!has_memory) return nullptr;
        allocated += bytes;
        return process_records::allocate(bytes);
    }
    static void free(void* memory, std::size_t bytes) noexcept {
        allocated -= bytes;
        process_records::free(memory, bytes);
    }
    static inline record* mine = nullptr;
};

using domain = freehold::detail::reader_domain<counted_fences, of_one_thread>;

int released = 0;

constexpr freehold::detail::deferred_release nothing{16, [](std::uintptr_t) noexcept { ++released; }};

}  // namespace

TEST(reader_domain, large_values_are_released_soon_and_small_ones_after_them_not_each_with_a_fence) {
    domain readers;
    readers.defer(nothing, std::size_t{4} << 20);
    EXPECT_EQ(released, 1);
    EXPECT_EQ(counted_fences::fences, 1);
    for (int i = 0; i < 50; ++i) readers.defer(nothing, 16);  // as many have room in a record
    EXPECT_EQ(released, 1);
    EXPECT_EQ(counted_fences::fences, 1);
    readers.leave();
    EXPECT_EQ(released, 51);
}

// A flush waits for a thread that is in a store, and then for no store that another thread has begun since.
TEST(reader_domain, a_flush_takes_over_once_what_each_thread_has_deferred) {
    domain readers;
    released = 0;
    const auto begin = [&readers] { return of_one_thread::mine = nullptr, readers.own(); };
    auto* const going_on = begin();
    auto* const in_a_store = begin();
    auto* const flushing = begin();
    const auto defer = [&readers](of_one_thread::record& in) {
        if (!in.begin(readers.barrier)) return;
        ASSERT_TRUE(in.deferred.push(nothing));
        in.end(readers.barrier);
    };
    defer(*going_on);
    defer(*in_a_store);
    static_cast<void>(in_a_store->begin(readers.barrier));
    counted_fences::meanwhile = [&] {
        in_a_store->end(readers.barrier);
        defer(*going_on);
    };
    of_one_thread::mine = flushing;
    EXPECT_EQ(readers.flush(), 0U);
    EXPECT_EQ(released, 2);
    EXPECT_EQ(going_on->deferred.size(), 1U);
}

TEST(reader_domain, a_flush_waits_for_a_thread_that_takes_over_what_another_has_deferred) {
    domain readers;
    released = 0;
    of_one_thread::mine = nullptr;
    auto& other = *readers.own();
    ASSERT_TRUE(other.begin(readers.barrier));
    ASSERT_TRUE(other.deferred.push(nothing));
    other.end(readers.barrier);
    ASSERT_TRUE(other.claim());
    counted_fences::meanwhile = [&] { other.unclaim(readers.barrier); };
    of_one_thread::mine = nullptr;
    EXPECT_EQ(readers.flush(), 0U);
    EXPECT_EQ(released, 1);
}

namespace {

// More threads than words have room in a record, each of which reads a word.
struct many_readers : testing::Test {
    static constexpr std::uintptr_t many = 40;

    many_readers() {
        released = 0;
        for (std::uintptr_t i = 1; i <= many; ++i) {
            of_one_thread::mine = nullptr;
            readers.own()->find_free()->store(16 * i);
        }
        of_one_thread::mine = nullptr;
        mine = readers.own();
    }
    many_readers(const many_readers&) = delete;
    many_readers& operator=(const many_readers&) = delete;
    ~many_readers() override { of_one_thread::has_memory = true; }

    std::size_t defer_all_and_flush() {
        for (std::uintptr_t i = 1; i <= many; ++i) readers.defer({16 * i, nothing.release});
        return readers.flush();
    }

    domain readers;
    of_one_thread::record* mine;
};

}  // namespace

TEST_F(many_readers, protect_each_their_word) { EXPECT_EQ(defer_all_and_flush(), many); }

TEST_F(many_readers, protect_each_their_word_without_memory_to_note_them) {
    of_one_thread::has_memory = false;
    EXPECT_EQ(defer_all_and_flush(), many);
}

TEST_F(many_readers, a_record_that_is_given_back_keeps_no_memory_to_note_many_words) {
    const std::size_t before = of_one_thread::allocated;
    readers.flush();
    EXPECT_GT(of_one_thread::allocated, before);
    readers.leave();
    EXPECT_EQ(of_one_thread::allocated, before);
}
