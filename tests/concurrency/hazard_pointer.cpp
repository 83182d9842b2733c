// Threads that read, replace and retire objects at once.

#include <freehold/reclamation/hazard_pointer.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::atomic<std::int64_t> alive = 0;

struct pair_of_numbers : freehold::hazard_pointer_obj_base<pair_of_numbers> {
    explicit pair_of_numbers(std::uint64_t n) : a(n), b(~n) { alive.fetch_add(1, std::memory_order_relaxed); }
    pair_of_numbers(const pair_of_numbers&) = delete;
    pair_of_numbers& operator=(const pair_of_numbers&) = delete;
    ~pair_of_numbers() {
        a = b = 0;
        alive.fetch_sub(1, std::memory_order_relaxed);
    }

    std::uint64_t a;
    std::uint64_t b;
};

const int rounds = std::getenv("FREEHOLD_TEST_LONG") != nullptr ? 10'000'000 : 200'000;

TEST(hazard_pointer_threads, read_what_others_replace) {
    std::atomic<pair_of_numbers*> current = new pair_of_numbers(0);
    std::atomic<bool> is_done = false;
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) {
        readers.emplace_back([&] {
            while (!is_done.load(std::memory_order_relaxed)) {
                freehold::hazard_pointer h = freehold::make_hazard_pointer();
                const pair_of_numbers* const seen = h.protect(current);
                ASSERT_EQ(seen->a, ~seen->b);
            }
        });
    }
    std::vector<std::thread> writers;
    for (int i = 0; i < 2; ++i) {
        writers.emplace_back([&] {
            for (int n = 0; n < rounds; ++n)
                current.exchange(new pair_of_numbers(static_cast<std::uint64_t>(n)))->retire();
        });
    }
    for (std::thread& writer : writers) writer.join();
    is_done = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_LE(alive.load(), 2 * 16'384 + 16 * 256);
    current.exchange(nullptr)->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive.load(), 0);
}

TEST(hazard_pointer_threads, may_come_and_go) {
    std::atomic<pair_of_numbers*> current = new pair_of_numbers(0);
    const int threads = rounds / 20;
    for (int i = 0; i < threads; i += 4) {
        std::vector<std::thread> together;
        for (int k = 0; k < 4; ++k) {
            together.emplace_back([&] {
                freehold::hazard_pointer h = freehold::make_hazard_pointer();
                const pair_of_numbers* const seen = h.protect(current);
                ASSERT_EQ(seen->a, ~seen->b);
                current.exchange(new pair_of_numbers(seen->a + 1))->retire();
            });
        }
        for (std::thread& thread : together) thread.join();
    }
    current.exchange(nullptr)->retire();
    freehold::hazard_pointer_clean_up();
    EXPECT_EQ(alive.load(), 0);
}

}  // namespace
