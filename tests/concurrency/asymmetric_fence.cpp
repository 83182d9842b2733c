// The asymmetric fence: of a reader that stores and then loads, and a reclaimer that does the same the other way round,
// one sees what the other stored.

#include <gtest/gtest.h>
#include <freehold/core/asymmetric_fence.hpp>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t rounds = 80'000;

struct alignas(64) cell {
    std::atomic<bool> reader = false;
    alignas(64) std::atomic<bool> reclaimer = false;
};

struct alignas(64) position {
    std::atomic<std::size_t> round = 0;
};

// Effects: waits until both threads have come to the round.
void meet(position& mine, const position& other, std::size_t round) {
    mine.round.store(round, std::memory_order_release);
    for (int spins = 0; other.round.load(std::memory_order_acquire) < round; ++spins) {
        if (spins > 1000) std::this_thread::yield();
    }
}

// The thread that comes to a round first learns late that the other is there. In some rounds this makes up for it.
void delay(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Returns: in how many rounds neither thread saw the other's store.
std::size_t missed(freehold::detail::asymmetric_fence& fence) {
    std::vector<cell> cells(rounds);
    std::vector<char> reader_saw(rounds);
    std::vector<char> reclaimer_saw(rounds);
    position reader_at;
    position reclaimer_at;
    std::thread reader([&] {
        for (std::size_t i = 0; i < rounds; ++i) {
            meet(reader_at, reclaimer_at, i + 1);
            delay(i * 7 % 512);
            cells[i].reader.store(true, std::memory_order_release);
            fence.light();
            reader_saw[i] = cells[i].reclaimer.load(std::memory_order_acquire);
        }
    });
    for (std::size_t i = 0; i < rounds; ++i) {
        meet(reclaimer_at, reader_at, i + 1);
        delay(i * 13 % 512);
        cells[i].reclaimer.store(true, std::memory_order_release);
        fence.heavy();
        reclaimer_saw[i] = cells[i].reader.load(std::memory_order_acquire);
    }
    reader.join();
    std::size_t count = 0;
    for (std::size_t i = 0; i < rounds; ++i) count += !reader_saw[i] && !reclaimer_saw[i];
    return count;
}

}  // namespace

TEST(asymmetric_fence, one_of_two_threads_sees_the_other) {
    freehold::detail::asymmetric_fence fence;
    fence.register_process();
    EXPECT_EQ(missed(fence), 0U);
}

TEST(asymmetric_fence, one_of_two_threads_sees_the_other_without_membarrier) {
    freehold::detail::asymmetric_fence fence;
    fence.refuse_membarrier();
    EXPECT_EQ(missed(fence), 0U);
    EXPECT_FALSE(fence.is_asymmetric());
}
