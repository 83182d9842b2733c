#pragma once
// batch: `x` blocks of 32 bytes are allocated, and freed in the order of their allocation.

#include <array>
#include <cstdint>

#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::batch {

inline constexpr int blocks = 1000;
inline constexpr int sizes[] = {blocks};
inline constexpr std::size_t words = 4;

template <class Strategy>
std::uint64_t run_once() {
    static std::array<word*, blocks> held;
    auto& arena = kept_arena<Strategy>::get();
    for (std::size_t i = 0; i < blocks; ++i) {
        held[i] = allocate_block(arena, words, i);
    }
    std::uint64_t digest = 0;
    for (word* const block : held) {
        digest = digest * 31 + free_block(arena, block, words);
    }
    return digest;
}

template <class Strategy>
void run(int, long iterations) {
    for (; iterations > 0; --iterations) {
        run_once<Strategy>();
    }
}

template <class Strategy>
std::uint64_t checksum() {
    const std::uint64_t digest = run_once<Strategy>();
    kept_arena<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "32 bytes", .sizes = sizes, .work = run<Strategy>, .clear = kept_arena<Strategy>::clear}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::batch
